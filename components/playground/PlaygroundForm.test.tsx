import { act, cleanup, renderHook } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import { useOneAtATime } from './PlaygroundForm.tsx';

afterEach(cleanup);

it('ignores a second press while the first is pending', async () => {
  const { result } = renderHook(useOneAtATime);
  const done: number[] = [];
  const gate = Promise.withResolvers<void>();
  const { start } = result.current;
  const press = (number: number) =>
    start(async () => {
      await gate.promise;
      done.push(number);
    });
  await act(async () => {
    const first = press(1);
    await press(2);
    gate.resolve();
    await first;
  });
  expect(result.current.isBusy).toBe(false);
  await act(() => press(3));
  expect(done).toEqual([1, 3]);
});
