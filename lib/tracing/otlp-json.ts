import type { SpanAttributes, SpanKind } from '#lib/contract/tracing.ts';
import type { TraceContext } from './trace-context.ts';

/** A span that has ended; times from `performance.now()`. */
export interface EndedSpan {
  readonly name: string;
  readonly kind: SpanKind;
  readonly context: TraceContext;
  readonly parent: TraceContext | null;
  readonly attributes: SpanAttributes;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly error: string | null;
}

/** Who sends: `resource` names the program, `scope` the part of it that makes the spans. */
export interface Sender {
  readonly resource: SpanAttributes;
  readonly scope: { readonly name: string; readonly version: string };
}

const KINDS: Readonly<Record<SpanKind, number>> = { internal: 1, server: 2, client: 3 };
const STATUS_ERROR = 2;
const FLAG_SAMPLED = 0x1;
const FLAGS_KNOWN = 0x100;
const FLAG_REMOTE = 0x200;

/** The body of an OTLP/HTTP request in JSON. `epoch`: what `performance.now()` counts from, in milliseconds since 1970. */
export function otlpJson(sender: Sender, spans: readonly EndedSpan[], epoch: number): string {
  const resource = { attributes: attributesOf(sender.resource) };
  return JSON.stringify({
    resourceSpans: [{ resource, scopeSpans: [{ scope: sender.scope, spans: spans.map((span) => spanJson(span, epoch)) }] }],
  });
}

function spanJson({ name, kind, context, parent, attributes, startedAt, endedAt, error }: EndedSpan, epoch: number) {
  return {
    traceId: context.traceId,
    spanId: context.spanId,
    ...(context.state === null ? {} : { traceState: context.state }),
    ...(parent === null ? {} : { parentSpanId: parent.spanId }),
    flags: FLAG_SAMPLED | FLAGS_KNOWN | (parent?.isRemote === true ? FLAG_REMOTE : 0),
    name,
    kind: KINDS[kind],
    startTimeUnixNano: nanoseconds(epoch + startedAt),
    endTimeUnixNano: nanoseconds(epoch + endedAt),
    attributes: attributesOf(attributes),
    status: error === null ? {} : { code: STATUS_ERROR, message: error },
  };
}

/** 64-bit numbers are strings in OTLP, since a number of JavaScript would lose their last digits. */
function nanoseconds(milliseconds: number): string {
  const whole = Math.floor(milliseconds);
  return `${whole}${String(Math.floor((milliseconds - whole) * 1_000_000)).padStart(6, '0')}`;
}

function attributesOf(attributes: SpanAttributes) {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: valueOf(value) }));
}

function valueOf(value: string | number | boolean) {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}
