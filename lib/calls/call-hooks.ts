import type { Answerer } from '#lib/contract/client-asks.ts';
import type { CallLog, CallWatcher } from '#lib/contract/call.ts';
import type { CallHooks } from '#lib/runtime/runtime.ts';
import type { CallNotes } from './call-log-buffer.ts';
import type { Redactor, SecretTexts } from './redact.ts';

export interface CallTold {
  readonly notes: CallNotes;
  readonly redactor: Redactor;
  readonly secrets: SecretTexts;
  readonly watcher: CallWatcher | undefined;
  /** If the watcher cannot answer. */
  readonly answerer?: Answerer | undefined;
  /** A note was added. */
  onStep(type: 'call.log' | 'call.progress'): void;
}

/**
 * Messages of a running call, without secrets, for its notes and for watchers. It runs in the message handler of a process,
 * where an exception would end the host: a line that fails is dropped, and the call notes that.
 */
export function hooksOf(
  about: Pick<CallHooks, 'callId' | 'traceparent' | 'meta' | 'timeoutMs' | 'extendedMs' | 'signal' | 'member'>,
  { notes, redactor, secrets, watcher, answerer = watcher?.answerer, onStep }: CallTold,
): CallHooks {
  return {
    ...about,
    ...(answerer === undefined ? {} : { answerer }),
    ...(secrets.length === 0 ? {} : { withoutSecrets: cleanerOf(redactor, secrets) }),
    onLog(log) {
      const line = lineOf(log, redactor, secrets);
      try {
        notes.addLog(line);
        watcher?.onLog(line);
        onStep('call.log');
      } catch (error) {
        notes.addLog(leftOut(log.time, error));
      }
    },
    onProgress(progress) {
      try {
        const step = redactor.progress(progress, secrets);
        notes.setProgress(step);
        watcher?.onProgress(step);
        onStep('call.progress');
      } catch (error) {
        notes.addLog(leftOut(new Date().toISOString(), error));
      }
    },
  };
}

/** Outlives the call for a while, so it holds only the secrets. */
function cleanerOf(redactor: Redactor, secrets: SecretTexts): (text: string) => string {
  return (text) => redactor.text(text, secrets);
}

function lineOf(log: CallLog, redactor: Redactor, secrets: SecretTexts): CallLog {
  try {
    return redactor.log(log, secrets);
  } catch (error) {
    return leftOut(log.time, error);
  }
}

/** Only the name of the error: its message may contain secrets. */
function leftOut(time: string, error: unknown): CallLog {
  const name = error instanceof Error ? error.name : 'error';
  return { time, level: 'warn', message: `A message of the tool could not be passed on completely (${name}).`, data: null };
}
