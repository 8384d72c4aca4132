import type { SpanAttributes, SpanKind } from '#lib/contract/tracing.ts';
import type { TraceContext } from './trace-context.ts';

/** A span that has ended; times from `performance.now()`. */
export interface EndedSpan {
  readonly name: string;
  readonly kind: SpanKind;
  readonly context: TraceContext;
  readonly parent: TraceContext | null;
  /** What was known at its begin and what came later; null for nothing. */
  readonly attributes: SpanAttributes | null;
  readonly more: SpanAttributes | null;
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

/**
 * The body of an OTLP/HTTP request in JSON. `epoch`: what `performance.now()` counts from, in milliseconds since 1970.
 * Put together as text: it is made beside calls, and objects that live for the moment of being written cost as much again.
 */
export function otlpJson({ resource, scope }: Sender, spans: readonly EndedSpan[], epoch: number): string {
  const list = spans.map((span) => spanText(span, epoch)).join(',');
  return `{"resourceSpans":[{"resource":{"attributes":[${attributesText(resource)}]},"scopeSpans":[{"scope":${JSON.stringify(scope)},"spans":[${list}]}]}]}`;
}

function spanText({ name, kind, context, parent, attributes, more, startedAt, endedAt, error }: EndedSpan, epoch: number): string {
  const state = context.state === null ? '' : `"traceState":${JSON.stringify(context.state)},`;
  const parentId = parent === null ? '' : `"parentSpanId":"${parent.spanId}",`;
  const flags = FLAG_SAMPLED | FLAGS_KNOWN | (parent?.isRemote === true ? FLAG_REMOTE : 0);
  const status = error === null ? '{}' : `{"code":${STATUS_ERROR},"message":${JSON.stringify(error)}}`;
  const texts = [attributesText(attributes), attributesText(more)].filter((text) => text !== '').join(',');
  const times = `"startTimeUnixNano":"${nanoseconds(epoch + startedAt)}","endTimeUnixNano":"${nanoseconds(epoch + endedAt)}"`;
  return `{"traceId":"${context.traceId}","spanId":"${context.spanId}",${state}${parentId}"flags":${flags},"name":${JSON.stringify(name)},"kind":${KINDS[kind]},${times},"attributes":[${texts}],"status":${status}}`;
}

/** 64-bit numbers are strings in OTLP, since a number of JavaScript would lose their last digits. */
function nanoseconds(milliseconds: number): string {
  const whole = Math.floor(milliseconds);
  return `${whole}${String(Math.floor((milliseconds - whole) * 1_000_000)).padStart(6, '0')}`;
}

function attributesText(attributes: SpanAttributes | null): string {
  let text = '';
  for (const key in attributes) {
    const value = attributes[key];
    if (value !== undefined) text += `${text === '' ? '' : ','}{"key":${JSON.stringify(key)},"value":${valueText(value)}}`;
  }
  return text;
}

function valueText(value: string | number | boolean): string {
  if (typeof value === 'string') return `{"stringValue":${JSON.stringify(value.toWellFormed())}}`;
  if (typeof value === 'boolean') return `{"boolValue":${value}}`;
  if (Number.isSafeInteger(value)) return `{"intValue":"${value}"}`;
  return `{"doubleValue":${JSON.stringify(Number.isFinite(value) ? value : String(value))}}`;
}
