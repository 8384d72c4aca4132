import { afterEach, beforeEach, expect, test } from 'vitest';
import { type SpanCollector, startSpanCollector } from '#lib/testing/span-collector.ts';
import { type OpenTracing, openTracing } from './open-tracing.ts';

/** A busy machine is slow. */
const PATIENCE = { timeout: 20_000 };

let collector: SpanCollector;
let logged: string[];
beforeEach(async () => {
  collector = await startSpanCollector();
  logged = [];
});
afterEach(() => collector.close());

function tracingOf(change: { queueSize?: number; delayMs?: number; timeoutMs?: number; endpoint?: string } = {}): OpenTracing {
  const lines = logged;
  return openTracing(
    {
      endpoint: `${collector.url}/v1/traces`,
      headers: {},
      timeoutMs: 5_000,
      resource: { 'service.name': 'tested' },
      sampling: { follows: true, share: 1 },
      queueSize: 10_000,
      delayMs: 60_000,
      ...change,
    },
    '1',
    (_, message, { reason }) => lines.push(typeof reason === 'string' ? reason : message),
  );
}

function end({ tracer }: OpenTracing, count: number): void {
  for (let at = 0; at < count; at += 1) tracer.begin(`span ${at}`).end();
}

test('sends full batches at once and the rest when it is closed', async () => {
  const tracing = tracingOf();
  end(tracing, 600);
  await expect.poll(() => collector.spans.length, PATIENCE).toBe(512);
  await tracing.close(5_000);
  expect(collector.spans.map(({ name }) => name)).toEqual(Array.from({ length: 600 }, (_, at) => `span ${at}`));
  expect(collector.requests).toHaveLength(3);
  expect(tracing.tracer.counts()).toEqual({ sent: 600, dropped: 0, refused: 0 });
});

test('sends a partial batch after the delay', async () => {
  const tracing = tracingOf({ delayMs: 1 });
  end(tracing, 2);
  await expect.poll(() => collector.spans.length, PATIENCE).toBe(2);
  await tracing.close(1_000);
});

test('sends the complete queue when it is closed', async () => {
  const tracing = tracingOf({ queueSize: 9_000 });
  end(tracing, 10_000);
  await tracing.close(20_000);
  expect(tracing.tracer.counts()).toEqual({ sent: 9_256, dropped: 744, refused: 0 });
});

test('drops and counts spans beyond the queue limit while the collector does not answer, and ends within its limit', async () => {
  collector.answers.push('hold');
  const tracing = tracingOf({ queueSize: 300 });
  end(tracing, 256);
  await expect.poll(() => collector.requests.length, PATIENCE).toBe(1);
  end(tracing, 400);
  expect(tracing.tracer.counts()).toEqual({ sent: 0, dropped: 100, refused: 0 });
  await tracing.close(50);
});

test('gives up a request without an answer after the timeout', async () => {
  collector.answers.push('hold');
  const tracing = tracingOf({ delayMs: 1, timeoutMs: 50 });
  end(tracing, 2);
  await expect.poll(() => tracing.tracer.counts().refused, PATIENCE).toBe(2);
  expect(logged).toEqual(['Request timed out']);
  await tracing.close(1_000);
});

test('retries temporarily refused batches', async () => {
  collector.answers.push(503, 429);
  const tracing = tracingOf({ delayMs: 1 });
  end(tracing, 3);
  await expect.poll(() => tracing.tracer.counts(), PATIENCE).toEqual({ sent: 3, dropped: 0, refused: 0 });
  expect([logged, collector.requests.length]).toEqual([[], 3]);
  await tracing.close(1_000);
});

test('counts a refused batch, logs one line a minute, and continues with the next', async () => {
  collector.answers.push(400);
  const tracing = tracingOf({ delayMs: 1 });
  end(tracing, 2);
  await expect.poll(() => tracing.tracer.counts().refused, PATIENCE).toBe(2);
  collector.answers.push(503, 503, 503, 503, 503, 503);
  end(tracing, 1);
  await expect.poll(() => tracing.tracer.counts().refused, PATIENCE).toBe(3);
  end(tracing, 1);
  await expect.poll(() => tracing.tracer.counts().sent, PATIENCE).toBe(1);
  expect(logged).toEqual(['it answered with status 400', 'The collector accepts spans again']);
  await tracing.close(1_000);
});

test.each([
  ['busy', 503, 'it answers that it is too busy'],
  ['a web page', { status: 200, body: '<!doctype html><title>Sign in</title>' }, 'a web page answers at its address'],
  ['elsewhere', 302, 'it answered with status 302'],
])('reports a readable reason: %s', async (_, answer, reason) => {
  collector.answers.push(...Array.from({ length: 6 }, () => answer));
  const tracing = tracingOf();
  end(tracing, 2);
  await tracing.close(5_000);
  expect([logged, tracing.tracer.counts()]).toEqual([[reason], { sent: 0, dropped: 0, refused: 2 }]);
});

test('counts the spans that a collector reports as rejected', async () => {
  collector.answers.push({ status: 200, body: '{"partialSuccess":{"rejectedSpans":"2","errorMessage":"too old"}}' });
  const tracing = tracingOf();
  end(tracing, 5);
  await tracing.close(1_000);
  expect(tracing.tracer.counts()).toEqual({ sent: 3, dropped: 0, refused: 2 });
  expect(logged).toEqual(['it refused 2 spans: too old']);
});

test.each(['', 'ok', 'null', '{"partialSuccess":null}', '{"partialSuccess":{}}'])(
  'counts spans as sent with the answer %j',
  async (body) => {
    collector.answers.push({ status: 200, body });
    const tracing = tracingOf();
    end(tracing, 2);
    await tracing.close(1_000);
    expect([logged, tracing.tracer.counts()]).toEqual([[], { sent: 2, dropped: 0, refused: 0 }]);
  },
);

test('an unavailable collector is logged without an error', async () => {
  const { url } = collector;
  await collector.close();
  const tracing = tracingOf({ endpoint: `${url}/v1/traces`, delayMs: 1, timeoutMs: 500 });
  end(tracing, 1);
  await expect.poll(() => tracing.tracer.counts(), PATIENCE).toEqual({ sent: 0, dropped: 0, refused: 1 });
  expect(logged).toEqual([expect.stringContaining('ECONNREFUSED')]);
  await tracing.close(1_000);
  collector = await startSpanCollector();
});
