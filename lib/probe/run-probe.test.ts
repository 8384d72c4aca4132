import { expect, it } from 'vitest';
import type { ExtensionLogLine } from '#lib/contract/extension.ts';
import { noteOnLateErrors } from './run-probe.ts';

const line = (message: string, more: Partial<ExtensionLogLine> = {}): ExtensionLogLine => ({
  time: '2026-01-01T00:00:01.000Z',
  level: 'error',
  stream: 'log',
  message,
  call_id: null,
  ...more,
});
const LATE = line('Uncaught exception: late\nError: late\n    at x.js:1:1');

it('counts late errors, and shows the first', () => {
  const rest = 'outside of any call; the first one in the log of the extension: ';
  expect(noteOnLateErrors([LATE])).toBe(`1 uncaught error ${rest}Uncaught exception: late`);
  const kept = line('Uncaught exception in a task: ValueError: late');
  expect(noteOnLateErrors([kept, LATE])).toBe(`2 uncaught errors ${rest}${kept.message}`);
});

it('ignores other lines', () => {
  expect(
    noteOnLateErrors([line('An error was logged'), line('Uncaught exception (its call was ended): x'), { ...LATE, level: 'info' }]),
  ).toBeNull();
});
