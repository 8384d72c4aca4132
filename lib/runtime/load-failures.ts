import { FAILURE_CODES } from '#lib/contract/failure-codes.ts';
import { describeEnd } from './process-words.ts';
import type { ProcessEnd } from './framed-process.ts';
import type { FailureReport } from './messages.ts';
import type { RawFailure } from './runtime.ts';

/** What of a load was seen before its process ended. */
export interface LoadProgress {
  readonly saidHello: boolean;
  /** Where the program said that it ends itself; null when it did not say. */
  readonly exiting: FailureReport | null;
  readonly limitMs: number;
  readonly memoryMb: number;
}

/** A process that ended while its extension was loaded, as a failure. */
export function failureOfEnd(end: ProcessEnd, progress: LoadProgress): RawFailure {
  const limit = `${progress.limitMs.toLocaleString('en')} ms`;
  switch (end.reason) {
    case 'start_timeout':
      return { code: 'start_timeout', message: `The process was started but gave no sign within ${limit} (LOAD_TIMEOUT_MS)` };
    case 'import_timeout':
      return {
        code: 'import_timeout',
        message: `Importing the file did not end within ${limit} (LOAD_TIMEOUT_MS); its process was stopped`,
      };
    case 'spawn_failed':
      return { code: 'spawn_failed', message: `The process could not be started: ${end.detail ?? 'no reason was given'}` };
    case 'memory_limit':
      return {
        code: 'memory_limit',
        message: `The file used more than ${progress.memoryMb} MB of memory while it was imported, and its process was stopped`,
      };
    case 'unwanted':
      return {
        code: 'process_exited',
        message: 'Its process was stopped while it was loading, because the load was given up',
        hint: FAILURE_CODES.import_timeout.hint,
      };
    case 'unresponsive':
    case 'protocol':
    case 'exit':
      break;
  }
  if (!progress.saidHello)
    return { code: 'spawn_failed', message: `The process ${describeEnd(end, progress.memoryMb)} before it could import anything` };
  if (end.reason === 'protocol')
    return {
      code: 'process_exited',
      message: `While the file was imported its process ${describeEnd(end, progress.memoryMb)}`,
      hint: 'Descriptor 3 belongs to the host: print with console.log, and write to no descriptor that you did not open.',
    };
  if (progress.exiting !== null) {
    const { code: _code, message, ...place } = progress.exiting;
    return { code: 'process_exited', message: `${message}, exit code ${end.code ?? 0}, while it was imported`, ...place };
  }
  return { code: 'process_exited', message: `While the file was imported its process ${describeEnd(end, progress.memoryMb)}` };
}

/** Adds what was printed, unless the failure knows it already. */
export function withOutput(failure: RawFailure, output: string | null): RawFailure {
  return failure.output !== undefined || output === null ? failure : { ...failure, output };
}
