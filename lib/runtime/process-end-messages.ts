import { LIMITS } from '#lib/contract/limits.ts';
import type { CallOutcome, RawFailure } from './runtime.ts';
import { failedCall } from './pending-call.ts';
import type { ProcessEnd } from './framed-process.ts';

const TOO_OFTEN = `${LIMITS.crashesAllowed} times within ${LIMITS.crashWindowMs / 60_000} minutes`;

/** How a process ended; continues "The process of this extension …". */
export function describeEnd(end: ProcessEnd, memoryMb: number): string {
  switch (end.reason) {
    case 'memory_limit':
      return `used more than ${memoryMb} MB of memory and was stopped`;
    case 'unresponsive':
      return 'stopped answering and was ended';
    case 'protocol':
      return `was stopped because ${end.detail ?? 'it broke the protocol'}`;
    case 'spawn_failed':
      return `could not be started: ${end.detail ?? 'no reason was given'}`;
    case 'start_timeout':
    case 'import_timeout':
      return 'did not become ready in time';
    case 'unwanted':
      return end.detail === null ? 'was stopped' : `was stopped: ${end.detail}`;
    case 'exit':
      return end.signal === null ? `ended with exit code ${end.code ?? 'unknown'}` : `was killed by ${end.signal}`;
  }
}

/** The result of a call whose process ended. */
export function crashedCall(end: ProcessEnd, memoryMb: number): CallOutcome {
  const words = `The process of this extension ${describeEnd(end, memoryMb)} while the call was running`;
  switch (end.reason) {
    case 'memory_limit':
      return failedCall('extension_crashed', `${words}. Ask for less at a time, or raise EXTENSION_MEMORY_MB.`, { reason: 'memory_limit' });
    case 'unresponsive':
      return failedCall('extension_crashed', `${words}: a call blocked it for too long. Try again.`, {
        reason: 'unresponsive',
      });
    default:
      return failedCall(
        'extension_crashed',
        `${words}. See its last output in the log. The next call restarts it, unless it stopped ${TOO_OFTEN}.`,
        {
          reason: end.reason,
          exit_code: end.code,
          signal: end.signal,
        },
      );
  }
}

/** Why there is no process; continues "it is not available: ". */
export function whyExhausted(isLoadedAgain: boolean): string {
  return isLoadedAgain
    ? `it stopped ${TOO_OFTEN}; Switchboard retries automatically, less and less often. To retry now, press Restart on the extension’s page`
    : `it stopped ${TOO_OFTEN} and is not restarted automatically. Fix the file, or press Restart on the extension’s page`;
}

export function crashLoop(lastTime: string, output: string | null, isLoadedAgain: boolean): RawFailure {
  return {
    code: 'crash_loop',
    message: `It stopped ${TOO_OFTEN}; the last time: ${lastTime}`,
    ...(isLoadedAgain
      ? { hint: 'Switchboard retries automatically, less and less often. Check its log; press Restart to retry now.' }
      : {}),
    ...(output === null ? {} : { output }),
  };
}

/** V8 aborts when its heap is full, sometimes before the memory watch sees it. */
export function withHeapAbort(end: ProcessEnd, tail: string | null): ProcessEnd {
  const aborted =
    end.reason === 'exit' && (end.signal === 'SIGABRT' || end.signal === 'SIGTRAP' || end.signal === 'SIGILL' || end.code === 134);
  return aborted && tail !== null && /heap out of memory|Reached heap limit|FATAL ERROR: .*memory/i.test(tail)
    ? { ...end, reason: 'memory_limit' }
    : end;
}
