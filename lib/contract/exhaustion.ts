import type { FailureCode } from './failure-codes.ts';

/** Error codes of a system without more processes, threads, file descriptors or memory; other programs may soon return some. */
const CODES = 'EMFILE|ENFILE|EAGAIN|ENOMEM|ENOBUFS|ETOOMANYREFS';
const NAMED = new RegExp(`\\b(?:${CODES})\\b`);
const IN_BRACKETS = new RegExp(`\\((?:${CODES})\\)`);
/** Of the bundler: its process ended, since it could start no more threads or was killed for its memory. */
const BUNDLER_ENDED = /The service (?:was stopped|is no longer running)/;
/** Last output of a process that could not start its threads. */
const THREADLESS = /can't start new thread|uv_thread_create|pthread_create|Resource temporarily unavailable/;

export const EXHAUSTED_HINT =
  'The server or its user has no more processes, open files or memory. Raise these limits, or end other programs; Switchboard retries automatically.';

interface Described {
  readonly code: FailureCode;
  readonly message: string;
  readonly output?: string | null | undefined;
}

/** Whether a load may have failed for the same reason as others that do now: its process died early, or started no threads. */
export function mayBeExhausted({ code, message, output }: Described): boolean {
  if (code === 'spawn_failed' || code === 'start_timeout') return true;
  const isOfImport = code === 'import_error' || code === 'process_exited';
  return isOfImport && [message, output ?? ''].some((text) => NAMED.test(text) || THREADLESS.test(text));
}

/** Whether the load failed only because the system had no more processes, file descriptors or memory. */
export function isExhausted({ code, message, output }: Described): boolean {
  if (code === 'unreadable') return IN_BRACKETS.test(message);
  return code === 'spawn_failed' && (NAMED.test(message) || BUNDLER_ENDED.test(message) || (output != null && THREADLESS.test(output)));
}
