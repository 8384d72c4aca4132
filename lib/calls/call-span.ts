import type { Span, Tracer } from '#lib/contract/tracing.ts';
import type { CallOutcome } from '#lib/runtime/runtime.ts';
import type { CallEnd, RunningCallRow } from '#lib/store/store.ts';

/** What of a call is told to whoever collects spans: names, ids and codes, never what was given or came out. */
export function beginCallSpan(
  tracer: Tracer,
  row: RunningCallRow,
  { traceparent, tracestate }: { readonly traceparent?: string | undefined; readonly tracestate?: string | undefined },
): Span {
  return tracer.begin(`call ${row.tool}`, {
    parent: traceparent === undefined ? null : { traceparent, tracestate },
    attributes: {
      'switchboard.call.id': row.id,
      'switchboard.call.source': row.source,
      'switchboard.tool': row.tool,
      'switchboard.extension': row.extension,
      'switchboard.snapshot_version': row.snapshotVersion,
    },
  });
}

export function endCallSpan(span: Span, { status, revision, error }: Pick<CallEnd, 'status' | 'revision' | 'error'>): void {
  span.set({
    'switchboard.call.status': status,
    ...(revision === null ? {} : { 'switchboard.revision': revision }),
    ...(error === null ? {} : { 'error.type': error.kind }),
  });
  span.end(error?.kind ?? null);
}

export function errorKindOf(outcome: CallOutcome): string | null {
  return outcome.status === 'succeeded' ? null : outcome.error.kind;
}
