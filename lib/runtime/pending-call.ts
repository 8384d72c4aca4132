import type { CallError, CallProgress } from '#lib/contract/call.ts';
import type { CallHooks, CallOutcome } from './runtime.ts';

/** A call in progress. Its first result counts, and releases its timer and listener. */
export interface PendingCall {
  readonly tool: string;
  readonly hooks: CallHooks;
  isSettled(): boolean;
  /** Passed on to the caller; extends the call's limit if that is allowed. */
  progress(step: CallProgress): void;
  /** The limit of the call does not count while this is pending. */
  waitFor<Value>(answer: Promise<Value>): Promise<Value>;
  /** Whether its caller has been asked and has not answered. */
  awaitsAnswer(): boolean;
  settle(outcome: CallOutcome): void;
}

export interface PendingCallOptions {
  readonly tool: string;
  readonly hooks: CallHooks;
  readonly onSettled: (outcome: CallOutcome) => void;
  /** The call timed out or was cancelled; the extension may still be busy with it. */
  readonly onInterrupt: (reason: 'timeout' | 'cancelled') => void;
  /** Why it has not started; null once it has. */
  readonly waitsFor: () => string | null;
}

export function createPendingCall({ tool, hooks, onSettled, onInterrupt, waitsFor }: PendingCallOptions): PendingCall {
  const { timeoutMs, extendedMs } = hooks;
  const beganAt = performance.now();
  let settled = false;
  let countsFrom = beganAt;
  let answersAwaited = 0;
  let awaitedSince = 0;
  let awaitedMs = 0;
  const settle = (outcome: CallOutcome): void => {
    if (settled) return;
    settled = true;
    clearTimeout(timer);
    hooks.signal.removeEventListener('abort', cancel);
    onSettled(outcome);
  };
  const cut = (reason: 'timeout' | 'cancelled', error: CallError): void => {
    if (settled) return;
    settle({ status: reason === 'timeout' ? 'timed_out' : 'cancelled', error });
    onInterrupt(reason);
  };
  const cancel = (): void => {
    const reason: unknown = hooks.signal.reason;
    const lost = answersAwaited > 0 ? ANSWER_LOST : '';
    cut('cancelled', { kind: 'cancelled', message: typeof reason === 'string' ? `${reason}${lost}` : 'The call was cancelled.' });
  };
  /** When the call must have ended or reported progress. */
  const dueAt = (): number =>
    (extendedMs === undefined ? beganAt + timeoutMs : Math.min(countsFrom + timeoutMs, beganAt + extendedMs)) + awaitedMs;
  const expire = (): void => {
    if (answersAwaited > 0) return;
    const leftMs = dueAt() - performance.now();
    if ((countsFrom > beganAt || awaitedMs > 0) && leftMs > 0) timer = setTimeout(expire, leftMs);
    else cut('timeout', { kind: 'timeout', message: timeoutMessage(hooks, waitsFor(), countsFrom - beganAt) });
  };
  let timer = setTimeout(expire, timeoutMs);
  hooks.signal.addEventListener('abort', cancel);
  if (hooks.signal.aborted) queueMicrotask(cancel);
  return {
    tool,
    hooks,
    isSettled: () => settled,
    awaitsAnswer: () => answersAwaited > 0,
    settle,
    async waitFor(answer) {
      if (answersAwaited === 0) awaitedSince = performance.now();
      answersAwaited += 1;
      try {
        return await answer;
      } finally {
        answersAwaited -= 1;
        if (answersAwaited === 0) {
          awaitedMs += performance.now() - awaitedSince;
          clearTimeout(timer);
          if (!settled) timer = setTimeout(expire, Math.max(0, dueAt() - performance.now()));
        }
      }
    },
    progress(step) {
      if (extendedMs !== undefined) countsFrom = performance.now();
      hooks.onProgress(step);
    },
  };
}

/** @param lastProgressMs time from its beginning to the last extension of its limit; 0 if there was none */
function timeoutMessage({ timeoutMs, extendedMs }: CallHooks, waitsFor: string | null, lastProgressMs: number): string {
  const limit = inMs(timeoutMs);
  if (waitsFor !== null) return `The call could not begin within ${limit}: ${waitsFor}.`;
  if (extendedMs === undefined)
    return `The tool did not answer within ${limit}. If it needs longer, raise \`timeout_ms\` of the call or of the tool, or CALL_TIMEOUT_MS for all tools.`;
  if (lastProgressMs + timeoutMs > extendedMs)
    return `The tool reported progress until the end, but did not answer within ${inMs(extendedMs)}, the most that a call may take.`;
  const what =
    lastProgressMs > 0 ? `The tool neither answered nor reported progress for ${limit}` : `The tool did not answer within ${limit}`;
  return `${what}. If it needs longer, raise \`timeout\` (seconds) of its server in mcp.json, \`timeout_ms\` of the call, or CALL_TIMEOUT_MS for all tools.`;
}

function inMs(limitMs: number): string {
  return `${limitMs.toLocaleString('en')} ms`;
}

const ANSWER_LOST = ' It waited for an answer of its caller, which can no longer be given.';

/** The result of a call that was running when its extension was closed. */
export function interruptedByClose(call: PendingCall, drainMs: number): CallOutcome {
  const message = `The call was still running ${Math.round(drainMs / 100) / 10} s after its extension began to stop (it was replaced, or the server is stopping), and was ended.`;
  return { status: 'cancelled', error: { kind: 'cancelled', message: `${message}${call.awaitsAnswer() ? ANSWER_LOST : ''}` } };
}

export function failedCall(kind: CallError['kind'], message: string, data?: unknown): CallOutcome {
  return { status: 'failed', error: data === undefined ? { kind, message } : { kind, message, data } };
}
