import { randomUUID } from 'node:crypto';
import type { Answerer, AnswerRequest, AskReply, CallQuestion, ClientAsk } from '#lib/contract/client-asks.ts';
import { PERSON_KINDS, refuseAsk } from '#lib/contract/client-asks.ts';
import type { CallLog, CallWatcher, CallProgress, WatchedLog } from '#lib/contract/call.ts';
import type { CallHooks } from '#lib/runtime/runtime.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import { ok, refuse, type Result } from '#lib/contract/result.ts';
import type { Redactor, SecretTexts } from './redact.ts';

export interface CallMessages {
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
  { notes, redactor, secrets, watcher, answerer = watcher?.answerer, onStep }: CallMessages,
): CallHooks {
  return {
    ...about,
    ...(answerer === undefined ? {} : { answerer }),
    ...(secrets.length === 0 ? {} : { withoutSecrets: cleanerOf(redactor, secrets) }),
    onLog(log) {
      const line = lineOf(log, redactor, secrets);
      try {
        const { said: _said, ...kept } = line;
        notes.addLog(kept, log.isGap);
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

function lineOf(log: WatchedLog, redactor: Redactor, secrets: SecretTexts): WatchedLog {
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

/** Newest log lines of a running call, limited in bytes, and its latest progress. */
export interface CallNotes {
  /** @param isGap it stands in place of missing lines */
  addLog(log: CallLog, isGap?: boolean): void;
  setProgress(progress: CallProgress): void;
  read(): NotesOfCall;
}

interface NotesOfCall {
  readonly logs: readonly CallLog[];
  readonly isTruncated: boolean;
  readonly progress: CallProgress | null;
}

export function createCallNotes(mostBytes: number = LIMITS.callLogBytes): CallNotes {
  let logs: { log: CallLog; bytes: number }[] = [];
  let bytes = 0;
  let isTruncated = false;
  let progress: CallProgress | null = null;
  return {
    addLog(log, isGap = false) {
      isTruncated ||= isGap;
      const size = Buffer.byteLength(log.message) + (log.data === null ? 0 : Buffer.byteLength(JSON.stringify(log.data) ?? '')) + 48;
      logs.push({ log, bytes: size });
      bytes += size;
      let drop = 0;
      while (bytes > mostBytes && drop < logs.length - 1) bytes -= logs[drop++]?.bytes ?? 0;
      if (drop > 0) {
        logs = logs.slice(drop);
        isTruncated = true;
      }
    },
    setProgress(next) {
      progress = next;
    },
    read: () => ({ logs: logs.map((item) => item.log), isTruncated, progress }),
  };
}

/**
 * Open questions of one call to the person who runs it on a page. What can go wrong: nobody answers (refused after
 * LIMITS.answerMs); the call ends first; two pages answer at once (the first counts).
 */
export interface CallQuestions {
  readonly answerer: Answerer;
  /** Oldest first. */
  open(): readonly CallQuestion[];
  answer(request: AnswerRequest): Result<null>;
}

/** JSON-RPC code for a person's refusal to let a model answer. */
const REFUSED_BY_PERSON = -1;

/** @param onChange a question came or went */
export function createCallQuestions(onChange: () => void, signal: AbortSignal): CallQuestions {
  const questions = new Map<string, { readonly ask: ClientAsk; settle(reply: AskReply): void }>();
  return {
    answerer: {
      kinds: PERSON_KINDS,
      async answer(ask) {
        const id = randomUUID();
        const { promise, resolve } = Promise.withResolvers<AskReply>();
        const end = (): void => resolve(refuseAsk('The call has ended.'));
        const minutes = LIMITS.answerMs / 60_000;
        const timer = setTimeout(() => resolve(refuseAsk(`Nobody answered within ${minutes} minutes.`)), LIMITS.answerMs).unref();
        signal.addEventListener('abort', end, { once: true });
        questions.set(id, { ask, settle: resolve });
        onChange();
        try {
          return await promise;
        } finally {
          clearTimeout(timer);
          signal.removeEventListener('abort', end);
          questions.delete(id);
          onChange();
        }
      },
    },
    open: () => [...questions].map(([id, { ask }]) => ({ id, ...ask })),
    answer({ question, action, content, text }) {
      const found = questions.get(question);
      if (found === undefined) return refuse('state_conflict', 'This question is no longer open: it was answered, or its time is over.');
      if (found.ask.method === 'elicitation/create') {
        found.settle({ ok: true, result: { action, ...(action === 'accept' && content !== undefined ? { content } : {}) } });
      } else if (action !== 'accept') {
        found.settle({ ok: false, error: { code: REFUSED_BY_PERSON, message: 'The person refused to answer for a model.' } });
      } else if (text === undefined) {
        return refuse('body_fields_invalid', '"text" is missing: the message that answers a sampling request.');
      } else {
        const message = { role: 'assistant', model: 'person', stopReason: 'endTurn', content: { type: 'text', text } };
        found.settle({ ok: true, result: message });
      }
      return ok(null);
    },
  };
}
