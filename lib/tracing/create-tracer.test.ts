import { expect, test } from 'vitest';
import { createTracer } from './create-tracer.ts';
import { otlpJson } from './otlp-json.ts';
import type { EndedSpan } from './otlp-json.ts';
import type { Sampling } from './sampling.ts';
import { readTraceContext } from './trace-context.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

function tracerOf(sampling: Sampling = { follows: true, share: 1 }) {
  const ended: EndedSpan[] = [];
  const exporter = {
    add: (span: EndedSpan) => void ended.push(span),
    counts: () => ({ sent: 0, dropped: 0, refused: 0 }),
    close: async () => undefined,
  };
  return { ended, tracer: createTracer({ sampling, exporter }) };
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
])('reads a traceparent as W3C has it: %s', (_, traceparent, isRead) => {
  expect(readTraceContext({ traceparent }) !== null).toBe(isRead);
});

test('a tracestate that could break a header is left out', () => {
  expect(readTraceContext({ traceparent: `00-${TRACE}-${SPAN}-01`, tracestate: 'a=1,b=2' })?.state).toBe('a=1,b=2');
  expect(readTraceContext({ traceparent: `00-${TRACE}-${SPAN}-01`, tracestate: 'a=1\r\nx: y' })?.state).toBeNull();
});

test('what begins in the course of a span is part of it, also after a wait, and what does not is a trace of its own', async () => {
  const { tracer, ended } = tracerOf();
  const outer = tracer.begin('outer');
  await outer.run(async () => {
    await Promise.resolve();
    tracer.begin('inner').end();
  });
  outer.end();
  outer.end('late');
  tracer.begin('alone').end();
  const [inner, first, alone] = ended;
  expect(ended).toHaveLength(3);
  expect(inner?.parent?.spanId).toBe(first?.context.spanId);
  expect([first?.error, first?.parent, alone?.parent]).toEqual([null, null, null]);
  expect(alone?.context.traceId).not.toBe(first?.context.traceId);
});

test('a parent that is none is as if it were not there', () => {
  const { tracer, ended } = tracerOf();
  tracer.begin('one', { parent: { traceparent: 'nonsense' } }).end();
  expect(ended[0]?.parent).toBeNull();
});

test.each([
  ['collects what its client collects', { follows: true, share: 0 }, '01', 1],
  ['does not collect what its client does not', { follows: true, share: 1 }, '00', 0],
  ['decides itself where it does not follow', { follows: false, share: 0 }, '01', 0],
  ['decides itself where it does not follow, the other way', { follows: false, share: 1 }, '00', 1],
])('%s', (_, sampling, flags, count) => {
  const { tracer, ended } = tracerOf(sampling);
  const span = tracer.begin('one', { parent: { traceparent: `00-${TRACE}-${SPAN}-${flags}` } });
  span.run(() => tracer.begin('inner').end());
  span.end();
  expect(ended).toHaveLength(count * 2);
  expect(span.traceparent).toMatch(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-0${count}$`));
});

test('collects a share of the traces, whole ones', () => {
  const { tracer, ended } = tracerOf({ follows: true, share: 0.5 });
  for (let at = 0; at < 400; at += 1) tracer.begin('outer').run(() => tracer.begin('inner').end());
  expect(ended.length).toBeGreaterThan(100);
  expect(ended.length).toBeLessThan(300);
});

test('writes times as whole nanoseconds and numbers as OTLP has them', () => {
  const { tracer, ended } = tracerOf();
  tracer.begin('one', { attributes: { text: 'a', whole: 7, part: 0.5, yes: true } }).end('kind');
  const [span] = ended;
  if (span === undefined) throw new Error('nothing ended');
  const text = otlpJson(
    { resource: {}, scope: { name: 's', version: '1' } },
    [{ ...span, startedAt: 1.5, endedAt: 2.25 }],
    1_700_000_000_000,
  );
  expect(JSON.parse(text).resourceSpans[0].scopeSpans[0].spans[0]).toMatchObject({
    startTimeUnixNano: '1700000000001500000',
    endTimeUnixNano: '1700000000002250000',
    attributes: [
      { key: 'text', value: { stringValue: 'a' } },
      { key: 'whole', value: { intValue: '7' } },
      { key: 'part', value: { doubleValue: 0.5 } },
      { key: 'yes', value: { boolValue: true } },
    ],
    status: { code: 2, message: 'kind' },
  });
});
