import { expect, test } from 'vitest';
import { ok } from '#lib/contract/result.ts';
import { createPasswordChecks } from './password-checks.ts';

test('runs a limited number at a time, queues some in order, and refuses the others', async () => {
  const checks = createPasswordChecks(2, 2);
  const started: number[] = [];
  const ends: (() => void)[] = [];
  const run = (id: number) =>
    checks.run(async () => {
      started.push(id);
      await new Promise<void>((resolve) => ends.push(resolve));
      return ok(id);
    });
  const all = [run(1), run(2), run(3), run(4), run(5)];
  expect(await all[4]).toMatchObject({ ok: false, problem: { code: 'too_many_attempts', retryAfter: 5 } });
  expect(started).toEqual([1, 2]);
  ends[0]?.();
  expect(await all[0]).toEqual({ ok: true, value: 1 });
  await expect.poll(() => started).toEqual([1, 2, 3]);
  ends[1]?.();
  ends[2]?.();
  await expect.poll(() => started).toEqual([1, 2, 3, 4]);
  ends[3]?.();
  expect(await Promise.all(all.slice(1, 4))).toEqual([2, 3, 4].map((value) => ({ ok: true, value })));
});

test('starts the next one when one fails', async () => {
  const checks = createPasswordChecks(1, 1);
  await expect(checks.run(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  expect(await checks.run(async () => ok('next'))).toEqual({ ok: true, value: 'next' });
});
