import { afterEach, beforeEach, expect, test } from 'vitest';
import { startSpanCollector } from '#lib/testing/span-collector.ts';
import type { SpanCollector } from '#lib/testing/span-collector.ts';
import { createTracer } from './create-tracer.ts';
import { createPostSpans } from './post-spans.ts';
import { createSpanExporter } from './span-exporter.ts';
import type { SpanExporter } from './span-exporter.ts';

/** A machine that is busy takes its time. */
const PATIENCE = { timeout: 20_000 };

let collector: SpanCollector;
let told: (string | null)[];
beforeEach(async () => {
  collector = await startSpanCollector();
  told = [];
});
afterEach(() => collector.close());

function exporterOf(change: { queueSize?: number; delayMs?: number; endpoint?: string } = {}): SpanExporter {
  return createSpanExporter({
    sender: { resource: { 'service.name': 'tested' }, scope: { name: 'tested', version: '1' } },
    to: createPostSpans({ endpoint: change.endpoint ?? `${collector.url}/v1/traces`, headers: {}, timeoutMs: 5_000 }),
    queueSize: change.queueSize ?? 10_000,
    delayMs: change.delayMs ?? 60_000,
    firstWaitMs: 1,
    onTrouble: (reason) => told.push(reason),
  });
}

function end(exporter: SpanExporter, count: number): void {
  const tracer = createTracer({ sampling: { follows: true, share: 1 }, exporter });
  for (let at = 0; at < count; at += 1) tracer.begin(`span ${at}`).end();
}

test('sends full batches at once and the rest when it is closed', async () => {
  const exporter = exporterOf();
  end(exporter, 600);
  await expect.poll(() => collector.spans.length, PATIENCE).toBe(512);
  await exporter.close(5_000);
  expect(collector.spans.map(({ name }) => name)).toEqual(Array.from({ length: 600 }, (_, at) => `span ${at}`));
  expect(collector.requests).toHaveLength(3);
  expect(exporter.counts()).toEqual({ sent: 600, dropped: 0, refused: 0 });
  end(exporter, 1);
  expect(exporter.counts().dropped).toBe(1);
});

test('sends few spans when the delay is over', async () => {
  const exporter = exporterOf({ delayMs: 1 });
  end(exporter, 2);
  await expect.poll(() => collector.spans.length, PATIENCE).toBe(2);
  await exporter.close(1_000);
});

test('drops and counts what finds no room while the collector does not answer, and ends within its limit', async () => {
  collector.answers.push('hold');
  const exporter = exporterOf({ queueSize: 300 });
  end(exporter, 256);
  await expect.poll(() => collector.requests.length, PATIENCE).toBe(1);
  end(exporter, 400);
  expect(exporter.counts()).toEqual({ sent: 0, dropped: 100, refused: 0 });
  await exporter.close(50);
  expect(exporter.counts()).toEqual({ sent: 0, dropped: 656, refused: 0 });
});

test('tries again what is refused for now, and says so once', async () => {
  collector.answers.push(503, 429);
  const exporter = exporterOf({ delayMs: 1 });
  end(exporter, 3);
  await expect.poll(() => collector.spans.length, PATIENCE).toBe(3);
  await expect.poll(() => told, PATIENCE).toEqual(['it answered with status 503', null]);
  await exporter.close(1_000);
  expect(exporter.counts()).toEqual({ sent: 3, dropped: 0, refused: 0 });
});

test('gives a batch up that is refused for good or three times, and goes on with the next', async () => {
  collector.answers.push(400);
  const exporter = exporterOf({ delayMs: 1 });
  end(exporter, 2);
  await expect.poll(() => exporter.counts().refused, PATIENCE).toBe(2);
  collector.answers.push(503, 503, 503);
  end(exporter, 1);
  await expect.poll(() => exporter.counts().refused, PATIENCE).toBe(3);
  end(exporter, 1);
  await expect.poll(() => exporter.counts().sent, PATIENCE).toBe(1);
  expect(told).toEqual(['it answered with status 400', null]);
  await exporter.close(1_000);
});

test('counts the part that a collector says it did not take', async () => {
  collector.answers.push({ status: 200, body: '{"partialSuccess":{"rejectedSpans":"2","errorMessage":"too old"}}' });
  const exporter = exporterOf();
  end(exporter, 5);
  await exporter.close(1_000);
  expect(exporter.counts()).toEqual({ sent: 3, dropped: 0, refused: 2 });
  expect(told).toEqual(['it refused 2 spans: too old']);
});

test('nobody at the address is trouble that is told, and no error', async () => {
  const { url } = collector;
  await collector.close();
  const exporter = exporterOf({ endpoint: `${url}/v1/traces` });
  end(exporter, 1);
  await exporter.close(1_000);
  expect(exporter.counts()).toEqual({ sent: 0, dropped: 0, refused: 1 });
  expect(told).toHaveLength(1);
  collector = await startSpanCollector();
});
