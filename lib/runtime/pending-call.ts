import type { CallError } from '#lib/contract/call.ts';
import type { CallHooks, CallOutcome } from './runtime.ts';

/** A call that has not ended yet. The first end counts; its timer and its listener are gone with it. */
export interface PendingCall {
  readonly tool: string;
  readonly hooks: CallHooks;
  isSettled(): boolean;
  settle(outcome: CallOutcome): void;
}

export interface PendingCallOptions {
  readonly tool: string;
  readonly hooks: CallHooks;
  readonly onSettled: (outcome: CallOutcome) => void;
  /** The call ended by its limit or by its caller while the extension may still be busy with it. */
  readonly onCut: (reason: 'timeout' | 'cancelled') => void;
  /** Why it has not begun; null when it has. */
  readonly waitsFor: () => string | null;
}

export function createPendingCall({ tool, hooks, onSettled, onCut, waitsFor }: PendingCallOptions): PendingCall {
  let settled = false;
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
    onCut(reason);
  };
  const cancel = (): void => {
    const reason: unknown = hooks.signal.reason;
    cut('cancelled', { kind: 'cancelled', message: typeof reason === 'string' ? reason : 'The call was cancelled.' });
  };
  const timer = setTimeout(
    () => cut('timeout', { kind: 'timeout', message: timeoutMessage(hooks.timeoutMs, waitsFor()) }),
    hooks.timeoutMs,
  );
  hooks.signal.addEventListener('abort', cancel);
  if (hooks.signal.aborted) queueMicrotask(cancel);
  return { tool, hooks, isSettled: () => settled, settle };
}

function timeoutMessage(limitMs: number, waitsFor: string | null): string {
  const limit = `${limitMs.toLocaleString('en')} ms`;
  if (waitsFor !== null) return `The call could not begin within ${limit}: ${waitsFor}.`;
  return `The tool did not answer within ${limit}. If it needs longer, raise \`timeout_ms\` of the call or of the tool, or CALL_TIMEOUT_MS for all tools.`;
}

/** How a call ends that was still running when its extension was closed. */
export function cutByClosing(drainMs: number): CallOutcome {
  const message = `The call was still running ${Math.round(drainMs / 100) / 10} s after its extension began to stop (it was replaced, or the server is stopping), and was ended.`;
  return { status: 'cancelled', error: { kind: 'cancelled', message } };
}

export function failedCall(kind: CallError['kind'], message: string, data?: unknown): CallOutcome {
  return { status: 'failed', error: data === undefined ? { kind, message } : { kind, message, data } };
}
