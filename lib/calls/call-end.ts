import { performance } from 'node:perf_hooks';
import type { CallError, CallSource, CallStatus } from '#lib/contract/call.ts';
import type { Result } from '#lib/contract/result.ts';
import type { Tool } from '#lib/contract/tool.ts';
import type { Registry } from '#lib/registry/snapshot.ts';
import type { CallOutcome, RunningExtension } from '#lib/runtime/runtime.ts';
import type { CallEnd } from '#lib/store/store.ts';
import { type CallNotes, createCallNotes } from './call-hooks.ts';
import type { Redactor, SecretTexts } from './redact.ts';

/** Start of a call by both clocks, since the wall clock may be set while it runs. */
export interface Beginning {
  /** ISO 8601. */
  readonly startedAt: string;
  /** From `performance.now()`. */
  readonly beganAt: number;
}

/** End of a call for its record. The end is the start plus the monotonic duration, independent of the wall clock. */
export function endOf(outcome: CallOutcome, notes: CallNotes, revision: number | null, began: Beginning): CallEnd {
  const { logs, isTruncated, progress } = notes.read();
  const durationMs = Math.round((performance.now() - began.beganAt) * 1_000) / 1_000;
  return {
    status: outcome.status,
    revision,
    resultText: outcome.status === 'succeeded' ? outcome.resultText : null,
    error: outcome.status === 'succeeded' ? null : outcome.error,
    logs,
    logsTruncated: isTruncated,
    progress,
    finishedAt: new Date(Date.parse(began.startedAt) + durationMs).toISOString(),
    durationMs,
  };
}

/** Stored form: the caller gets the result unchanged, the record gets it without secrets. */
function withoutSecrets(end: CallEnd, redactor: Redactor, secrets: SecretTexts): CallEnd {
  const resultText = end.resultText === null ? null : redactor.jsonText(end.resultText, secrets);
  const error = end.error === null ? null : redactor.error(end.error, secrets);
  return { ...end, resultText, error };
}

interface BothEnds {
  /** For the caller. */
  readonly end: CallEnd;
  /** For the record. */
  readonly stored: CallEnd;
}

/** The end of a call; if it cannot be serialized, that error. */
export function bothEnds(
  outcome: CallOutcome,
  notes: CallNotes,
  revision: number | null,
  began: Beginning,
  redactor: Redactor,
  secrets: SecretTexts,
): BothEnds {
  try {
    const end = endOf(outcome, notes, revision, began);
    return { end, stored: withoutSecrets(end, redactor, secrets) };
  } catch (error) {
    return brokenEnds(error, revision, began);
  }
}

/** Stores the end, or the error of storing it; returns the recorded one. */
export async function storeEnd(ends: BothEnds, began: Beginning, write: (stored: CallEnd) => Promise<void>): Promise<CallEnd> {
  try {
    await write(ends.stored);
    return ends.end;
  } catch (error) {
    const broken = brokenEnds(error, ends.end.revision, began);
    await write(broken.stored);
    return broken.end;
  }
}

/** End of a call that the server could not run or store, without data that may have caused it. */
function brokenEnds(error: unknown, revision: number | null, began: Beginning): BothEnds {
  const end = endOf(brokenBy(error), createCallNotes(), revision, began);
  return { end, stored: end };
}

/** Only the name of the error: its message may contain secrets. */
export function brokenBy(error: unknown): CallOutcome {
  const name = error instanceof Error ? error.name : typeof error;
  const message = `The server could not complete this call (${name}). The tool may have run. Try again, and report it if it happens again.`;
  return { status: 'failed', error: { kind: 'execution_error', message } };
}

/**
 * @param other description of the requested revision; null for the serving one
 * @param servedBy other servers that serve it
 */
export function unavailable(
  tool: Tool,
  registry: Registry<RunningExtension>,
  other: Result<RunningExtension> | null,
  servedBy: readonly string[] = [],
): CallError {
  const now = registry.current().tools.get(tool.name)?.tool;
  const refusal = other === null || other.ok ? null : other.problem.detail;
  const reason = now === undefined ? `${tool.extension} was removed.` : (now.unavailable_reason ?? refusal ?? 'It cannot run.');
  if (servedBy.length === 0) return { kind: 'extension_unavailable', message: `${reason} The extension’s page says what to do.` };
  const others = servedBy.join(', ');
  return {
    kind: 'extension_unavailable',
    message: `${reason} This instance does not serve it; ${others} ${servedBy.length === 1 ? 'does' : 'do'}. Call again, or see the extension’s page.`,
    data: { served_by: [...servedBy] },
  };
}

/** Why a call was rejected. */
export type RefusedCall = 'too_many_calls' | 'storage';

/** A call whose end is on record. */
export interface EndedCall {
  readonly id: string;
  readonly tool: string;
  readonly extension: string;
  readonly revision: number | null;
  readonly source: CallSource;
  readonly status: CallStatus;
  readonly errorKind: string | null;
  readonly durationMs: number;
  /** Of its span; null without one. */
  readonly traceId: string | null;
}
