import { performance } from 'node:perf_hooks';
import type { CallError } from '#lib/contract/call.ts';
import type { Result } from '#lib/contract/result.ts';
import type { Tool } from '#lib/contract/tool.ts';
import type { Registry } from '#lib/registry/registry.ts';
import type { CallOutcome, RunningExtension } from '#lib/runtime/runtime.ts';
import type { CallEnd } from '#lib/store/store.ts';
import { createCallNotes } from './call-log-buffer.ts';
import type { CallNotes } from './call-log-buffer.ts';
import type { Redactor, SecretTexts } from './redact.ts';

/** When a call began, by both clocks: that of the wall may be set while it runs. */
export interface Beginning {
  /** ISO 8601. */
  readonly startedAt: string;
  /** From `performance.now()`. */
  readonly beganAt: number;
}

/** How a call ended, for its record. It took what it took, and ended that long after its beginning, wherever the clock was set. */
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

/** What goes to disk: the caller gets its result as it is, the record gets it without secrets. */
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

/** Whatever was made of the call: when its end cannot be put into words, that is how it ended. */
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

/** Writes the end down, or that it could not be written; tells which of them is on record. */
export async function keepEnd(ends: BothEnds, began: Beginning, write: (stored: CallEnd) => Promise<void>): Promise<CallEnd> {
  try {
    await write(ends.stored);
    return ends.end;
  } catch (error) {
    const broken = brokenEnds(error, ends.end.revision, began);
    await write(broken.stored);
    return broken.end;
  }
}

/** The end of a call that the server could not carry through or keep, without anything that may be the reason. */
function brokenEnds(error: unknown, revision: number | null, began: Beginning): BothEnds {
  const end = endOf(brokenBy(error), createCallNotes(), revision, began);
  return { end, stored: end };
}

/** Told by the name of what was thrown alone: its words may hold what must not be kept. */
export function brokenBy(error: unknown): CallOutcome {
  const name = error instanceof Error ? error.name : typeof error;
  const message = `The server could not carry this call through (${name}). Whether the tool has done its work is not known; try again, and report it when it happens again.`;
  return { status: 'failed', error: { kind: 'execution_error', message } };
}

/** @param other what was said of the revision that was asked for; null when that is the one that serves */
export function unavailable(tool: Tool, registry: Registry<RunningExtension>, other: Result<RunningExtension> | null): CallError {
  const now = registry.current().tools.get(tool.name)?.tool;
  const refusal = other === null || other.ok ? null : other.problem.detail;
  const reason = now === undefined ? `${tool.extension} was removed.` : (now.unavailable_reason ?? refusal ?? 'Nothing of it can run.');
  return { kind: 'extension_unavailable', message: `${reason} The extension’s page says what to do.` };
}
