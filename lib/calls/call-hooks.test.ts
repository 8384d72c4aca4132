import { expect, it } from 'vitest';
import { createCallNotes, hooksOf } from './call-hooks.ts';
import { createRedactor } from './redact.ts';

const ABOUT = { callId: 'c', timeoutMs: 1_000, signal: new AbortController().signal };
const LOG = { time: '2026-11-22T10:00:00.000Z', level: 'info', message: 'with the-secret', data: { n: 1234567, token: 't' } } as const;

it('passes the same lines and steps to notes and watcher, without secrets', () => {
  const notes = createCallNotes();
  const seen: unknown[] = [];
  const watcher = { onLog: (line: unknown) => void seen.push(line), onProgress: (step: unknown) => void seen.push(step) };
  const hooks = hooksOf(ABOUT, { notes, redactor: createRedactor(), secrets: ['the-secret', '123456'], watcher, onStep: () => undefined });
  hooks.onLog(LOG);
  hooks.onProgress({ done: 1, total: 2, message: 'half of the-secret' });
  const line = { ...LOG, message: 'with [redacted]', data: { n: 1234567, token: '[redacted]' } };
  const step = { done: 1, total: 2, message: 'half of [redacted]' };
  expect(seen).toEqual([line, step]);
  expect(notes.read()).toMatchObject({ logs: [line], progress: step });
  expect(hooks.withoutSecrets?.('the-secret!')).toBe('[redacted]!');
});

it('keeps errors in a line from the message handler of the process', () => {
  const notes = createCallNotes();
  const broken = () => {
    throw new TypeError('the-secret');
  };
  const hooks = hooksOf(ABOUT, {
    notes,
    redactor: createRedactor(),
    secrets: [],
    watcher: { onLog: broken, onProgress: broken },
    onStep: broken,
  });
  hooks.onLog(LOG);
  hooks.onProgress({ done: 1, total: 2, message: null });
  expect(notes.read().logs.map(({ message }) => message)).toEqual([
    'with the-secret',
    'A message of the tool could not be passed on completely (TypeError).',
    'A message of the tool could not be passed on completely (TypeError).',
  ]);
});

it('marks the lines of a call as truncated when some are missing', () => {
  const notes = createCallNotes();
  const hooks = hooksOf(ABOUT, { notes, redactor: createRedactor(), secrets: [], watcher: undefined, onStep: () => undefined });
  hooks.onLog(LOG);
  expect(notes.read().isTruncated).toBe(false);
  hooks.onLog({ ...LOG, message: '9 log lines were left out', isGap: true });
  expect(notes.read().isTruncated).toBe(true);
  expect(notes.read().logs[1]).not.toHaveProperty('isGap');
});
