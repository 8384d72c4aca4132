import { expect, it } from 'vitest';
import { isExhausted, mayBeExhausted } from './exhaustion.ts';

it.each([
  ['spawn_failed', 'The process could not be started: spawn node EMFILE', undefined],
  ['spawn_failed', 'Its process could not be prepared: fork: EAGAIN', undefined],
  ['spawn_failed', 'The process ended with exit code 1 before it could import anything', "RuntimeError: can't start new thread"],
  ['spawn_failed', 'The process was killed by SIGABRT before it could import anything', 'Assertion `(0) == (uv_thread_create(t))` failed.'],
  ['spawn_failed', 'The program of a could not be written: The service was stopped', undefined],
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

it.each([
  ['spawn_failed', 'The process was killed by SIGABRT before it could import anything', undefined, true],
  ['start_timeout', 'The process was started but did not respond within 10,000 ms (LOAD_TIMEOUT_MS)', undefined, true],
  ['import_error', "can't start new thread", undefined, true],
  ['process_exited', 'While the file was imported its process ended with exit code 1', "RuntimeError: can't start new thread", true],
  ['import_error', 'It throws', undefined, false],
  ['import_timeout', 'The import did not finish within 10,000 ms (LOAD_TIMEOUT_MS); its process was stopped', undefined, false],
] as const)('finds failures that a shortage may cause (%s: %s)', (code, message, output, expected) => {
  expect(mayBeExhausted({ code, message, output })).toBe(expected);
});
