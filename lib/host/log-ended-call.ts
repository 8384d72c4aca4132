import type { EndedCall } from '#lib/calls/call-outcomes.ts';
import type { Logger } from './logger.ts';

/** For who follows every call in the log; neither what was given nor what came out. */
export function logEndedCall(logger: Logger, call: EndedCall): void {
  logger.debug('A call ended', {
    call_id: call.id,
    extension: call.extension,
    tool: call.tool,
    revision: call.revision,
    source: call.source,
    status: call.status,
    ...(call.errorKind === null ? {} : { error_kind: call.errorKind }),
    ...(call.traceId === null ? {} : { trace_id: call.traceId }),
    duration_ms: call.durationMs,
  });
}
