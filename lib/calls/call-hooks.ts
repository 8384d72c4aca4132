import type { CallLog, CallWatcher } from '#lib/contract/call.ts';
import type { CallHooks } from '#lib/runtime/runtime.ts';
import type { CallNotes } from './call-log-buffer.ts';
import type { Redactor, SecretTexts } from './redact.ts';

export interface CallTold {
  readonly notes: CallNotes;
  readonly redactor: Redactor;
  readonly secrets: SecretTexts;
  readonly watcher: CallWatcher | undefined;
  /** Something was added to the notes. */
  onStep(type: 'call.log' | 'call.progress'): void;
}

/**
 * What a running call says, on its way to its notes and to whoever watches: without secrets.
 * It is told from where the messages of a process are read, so that whatever were thrown here would end the host: a line that
 * cannot be kept is left out, and the call says so.
 */
export function hooksOf(
  about: Pick<CallHooks, 'callId' | 'traceparent' | 'timeoutMs' | 'extendedMs' | 'signal'>,
  { notes, redactor, secrets, watcher, onStep }: CallTold,
): CallHooks {
  return {
    ...about,
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

/** Held for a while after the call, so it holds the secrets and nothing else of it. */
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

/** The name of the error alone: its words may hold what must not be kept. */
function leftOut(time: string, error: unknown): CallLog {
  const name = error instanceof Error ? error.name : 'error';
  return { time, level: 'warn', message: `Something that the tool said could not be passed on whole (${name}).`, data: null };
}
