import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { ToolExamples } from './ToolExamples.tsx';

afterEach(cleanup);

it('fills in the arguments that the author gives, and leaves out what is no arguments', () => {
  const onFill = vi.fn<(example: object) => void>();
  render(<ToolExamples examples={[{ to: 6 }, 'no arguments', { to: 20 }]} payload={{ to: 6 }} disabled={false} onFill={onFill} />);
  expect(screen.getAllByRole('button')).toHaveLength(2);
  expect(screen.getByRole('button', { name: 'Fill in the example {"to":6}' })).toHaveProperty('disabled', true);
  fireEvent.click(screen.getByRole('button', { name: 'Fill in the example {"to":20}' }));
  expect(onFill).toHaveBeenCalledExactlyOnceWith({ to: 20 });
});
