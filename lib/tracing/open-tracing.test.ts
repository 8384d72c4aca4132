import { InMemorySpanExporter, type ReadableSpan, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { expect, test } from 'vitest';
import { createTracer, samplerOf, type Sampling } from './open-tracing.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

function tracerOf(sampling: Sampling = { follows: true, share: 1 }) {
  const exporter = new InMemorySpanExporter();
  const provider = new TracerProvider({ sampler: samplerOf(sampling), spanProcessors: [new SimpleSpanProcessor({ exporter })] });
  const tracer = createTracer(provider.getTracer('tested'), () => ({ sent: 0, dropped: 0, refused: 0 }));
  async function ended(): Promise<readonly ReadableSpan[]> {
    await provider.forceFlush();
    return exporter.getFinishedSpans();
  }
  return { tracer, ended };
}

test.each([
  ['a plain one', `00-${TRACE}-${SPAN}-01`, true],
  ['one with spaces around it', ` 00-${TRACE}-${SPAN}-00 `, true],
  ['a later version with more in it', `cc-${TRACE}-${SPAN}-01-what-the-future-will-be-like`, true],
  ['this version with more in it', `00-${TRACE}-${SPAN}-01-more`, false],
  ['the version that is none', `ff-${TRACE}-${SPAN}-01`, false],
  ['capital letters', `00-${TRACE.toUpperCase()}-${SPAN}-01`, false],
  ['a trace of zeros', `00-${'0'.repeat(32)}-${SPAN}-01`, false],
  ['a span of zeros', `00-${TRACE}-${'0'.repeat(16)}-01`, false],
  ['too short a trace', `00-${TRACE.slice(1)}-${SPAN}-01`, false],
  ['nothing', '', false],
])('reads a traceparent as specified by W3C: %s', (_, traceparent, isRead) => {
  const span = tracerOf().tracer.begin('one', { parent: { traceparent } });
  expect(span.traceId === TRACE).toBe(isRead);
});

test('a tracestate that could break a header is left out', async () => {
  const { tracer, ended } = tracerOf();
  for (const tracestate of ['a=1,b=2', 'a=1\r\nx: y'])
    tracer.begin('one', { parent: { traceparent: `00-${TRACE}-${SPAN}-01`, tracestate } }).end();
  expect((await ended()).map((span) => span.spanContext().traceState?.serialize())).toEqual(['a=1,b=2', '']);
});

test('a span that starts within another one is its child, also after an await, and others start their own trace', async () => {
  const { tracer, ended } = tracerOf();
  const outer = tracer.begin('outer');
  await outer.run(async () => {
    await Promise.resolve();
    tracer.begin('inner').end();
  });
  outer.end();
  outer.end('late');
  tracer.begin('alone').end();
  const all = await ended();
  const [inner, first, alone] = all;
  expect(all).toHaveLength(3);
  expect(inner?.parentSpanContext?.spanId).toBe(first?.spanContext().spanId);
  expect([first?.status, first?.parentSpanContext, alone?.parentSpanContext]).toEqual([{ code: 0 }, undefined, undefined]);
  expect(alone?.spanContext().traceId).not.toBe(first?.spanContext().traceId);
});

test('a child span starts and ends within its parent', async () => {
  const { tracer, ended } = tracerOf();
  for (let at = 0; at < 200; at += 1) {
    const outer = tracer.begin('outer');
    outer.run(() => tracer.begin('inner').end());
    outer.end();
  }
  const nanoseconds = ([seconds, rest]: readonly [number, number]): bigint => BigInt(seconds) * 1_000_000_000n + BigInt(rest);
  const spans = await ended();
  const outer = new Map(spans.map((span) => [span.spanContext().spanId, span]));
  const outside = spans.filter(({ parentSpanContext, startTime, endTime }) => {
    const outerSpan = outer.get(parentSpanContext?.spanId ?? '');
    if (outerSpan === undefined) return false;
    return nanoseconds(startTime) < nanoseconds(outerSpan.startTime) || nanoseconds(endTime) > nanoseconds(outerSpan.endTime);
  });
  expect([spans.length, outside]).toEqual([400, []]);
});

test('an invalid parent is ignored', async () => {
  const { tracer, ended } = tracerOf();
  tracer.begin('one', { parent: { traceparent: 'nonsense' } }).end();
  expect((await ended())[0]?.parentSpanContext).toBeUndefined();
});

test.each([
  ['collects what its client collects', { follows: true, share: 0 }, '01', 1],
  ['does not collect what its client does not', { follows: true, share: 1 }, '00', 0],
  ['decides itself where it does not follow', { follows: false, share: 0 }, '01', 0],
  ['decides itself where it does not follow, the other way', { follows: false, share: 1 }, '00', 1],
])('%s', async (_, sampling, flags, count) => {
  const { tracer, ended } = tracerOf(sampling);
  const span = tracer.begin('one', { parent: { traceparent: `00-${TRACE}-${SPAN}-${flags}` } });
  span.run(() => tracer.begin('inner').end());
  span.end();
  expect(await ended()).toHaveLength(count * 2);
  expect(span.traceparent).toMatch(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-0${count}$`));
});

test('collects a share of the traces, each complete', async () => {
  const { tracer, ended } = tracerOf({ follows: true, share: 0.5 });
  for (let at = 0; at < 400; at += 1) tracer.begin('outer').run(() => tracer.begin('inner').end());
  const { length } = await ended();
  expect(length).toBeGreaterThan(100);
  expect(length).toBeLessThan(300);
});
