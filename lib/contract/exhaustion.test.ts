import { expect, it } from 'vitest';
import { isExhausted } from './exhaustion.ts';

it.each([
  ['spawn_failed', 'The process could not be started: spawn node EMFILE', undefined],
  ['spawn_failed', 'Its process could not be prepared: fork: EAGAIN', undefined],
  ['spawn_failed', 'The process ended with exit code 1 before it could import anything', "RuntimeError: can't start new thread"],
  ['spawn_failed', 'The process was killed by SIGABRT before it could import anything', 'Assertion `(0) == (uv_thread_create(t))` failed.'],
  ['unreadable', 'a/extension.py could not be read (EMFILE).', undefined],
] as const)('finds that the system has no more processes or file descriptors (%s: %s)', (code, message, output) => {
  expect(isExhausted({ code, message, output })).toBe(true);
});

it.each([
  ['spawn_failed', 'The process could not be started: spawn node ENOENT', undefined],
  ['spawn_failed', 'The process ended with exit code 1 before it could import anything', 'wrong'],
  ['unreadable', 'EMFILE/extension.py is not readable by the user that runs the server.', undefined],
  ['import_error', "can't start new thread (EAGAIN)", undefined],
] as const)('leaves other failures alone (%s: %s)', (code, message, output) => {
  expect(isExhausted({ code, message, output })).toBe(false);
});
