import { performance } from 'node:perf_hooks';
import type { CallError } from '#lib/contract/call.ts';
import { callErrorSchema } from '#lib/contract/call.ts';
import type { Tool } from '#lib/contract/tool.ts';
import type { Registry } from '#lib/registry/registry.ts';
import type { CallOutcome, RunningExtension } from '#lib/runtime/runtime.ts';
import type { CallEnd } from '#lib/store/store.ts';
import type { CallNotes } from './call-log-buffer.ts';
import { redactJsonText } from './redact.ts';

/** How a call ended, for its record. @param beganAt from `performance.now()` */
export function endOf(outcome: CallOutcome, notes: CallNotes, revision: number | null, beganAt: number): CallEnd {
  const { logs, isTruncated, progress } = notes.read();
  return {
    status: outcome.status,
    revision,
    resultText: outcome.status === 'succeeded' ? outcome.resultText : null,
    error: outcome.status === 'succeeded' ? null : outcome.error,
    logs,
    logsTruncated: isTruncated,
    progress,
    finishedAt: new Date().toISOString(),
    durationMs: Math.round((performance.now() - beganAt) * 1_000) / 1_000,
  };
}

/** What goes to disk: the caller gets its result as it is, the record gets it without secrets. */
export function withoutSecrets(end: CallEnd, secrets: readonly string[]): CallEnd {
  const resultText = end.resultText === null ? null : redactJsonText(end.resultText, secrets);
  if (end.error === null || secrets.length === 0) return resultText === end.resultText ? end : { ...end, resultText };
  const error = callErrorSchema.parse(JSON.parse(redactJsonText(JSON.stringify(end.error), secrets)));
  return { ...end, resultText, error };
}

export function unavailable(tool: Tool, registry: Registry<RunningExtension>): CallError {
  const now = registry.current().tools.get(tool.name)?.tool;
  const reason = now?.unavailable_reason ?? `${tool.extension} was removed.`;
  return { kind: 'extension_unavailable', message: `${reason} The extension’s page says what to do.` };
}
