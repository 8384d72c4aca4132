import { ExportResultCode } from '@opentelemetry/core';
import type { ExportResult } from '@opentelemetry/core';
import { OTLPExporterBase, OTLPExporterError } from '@opentelemetry/otlp-exporter-base';
import { createOtlpHttpExportDelegate, httpAgentFactoryFromOptions } from '@opentelemetry/otlp-exporter-base/node-http';
import { JsonTraceSerializer, TraceExporterMetricsHelper } from '@opentelemetry/otlp-transformer';
import { BatchSpanProcessor } from '@opentelemetry/sdk-trace';
import type { ReadableSpan, SpanProcessor } from '@opentelemetry/sdk-trace';
import { z } from 'zod';
import type { SpanCounts } from '#lib/contract/tracing.ts';

/**
 * Sends ended spans to a collector over OTLP/HTTP in JSON, in batches and in the background. What can go wrong:
 * - the collector is slow or down: spans wait in a bounded queue; spans without room are dropped and counted;
 * - it refuses spans: the exporter retries within its timeout, then the batch counts as refused;
 * - it accepts some spans, or answers with a web page: the response says so although its status is 200.
 */
export interface SpanProcessorOptions {
  /** The complete URL. */
  readonly endpoint: string;
  /** May hold secrets. */
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly queueSize: number;
  /** A full batch is sent at once, other spans after this delay. */
  readonly delayMs: number;
  /** Called after each batch: with the reason when the collector did not accept all of it, else with null. */
  onBatch(trouble: string | null): void;
}

export interface CountingProcessor extends SpanProcessor {
  counts(): SpanCounts;
}

/** Serializing a batch of this size takes about a millisecond. */
const BATCH = 256;
const SOCKETS = 4;

export function createSpanProcessor({
  endpoint,
  headers,
  timeoutMs,
  queueSize,
  delayMs,
  onBatch,
}: SpanProcessorOptions): CountingProcessor {
  const counts = { sent: 0, dropped: 0, refused: 0 };
  let waiting = 0;
  /** The exporter reads a response and reports its result in one step, so this is the response of that result. */
  let answer = ACCEPTED;

  const exporter = new OTLPExporterBase(
    createOtlpHttpExportDelegate<ReadableSpan[], object>(
      {
        url: endpoint,
        headers: async () => ({ ...headers, 'content-type': 'application/json' }),
        timeoutMillis: timeoutMs,
        // A stop sends the whole queue at once.
        concurrencyLimit: Math.ceil(queueSize / BATCH) + 1,
        compression: 'none',
        agentFactory: httpAgentFactoryFromOptions({ keepAlive: true, maxSockets: SOCKETS, timeout: timeoutMs }),
      },
      {
        serializeRequest: (spans) => JsonTraceSerializer.serializeRequest(spans),
        deserializeResponse(data) {
          answer = readAnswer(data);
          return {};
        },
      },
      'otlp_http_span_exporter',
      TraceExporterMetricsHelper,
      undefined,
    ),
  );

  function count(result: ExportResult, size: number): void {
    const { rejected, reason } = result.code === ExportResultCode.SUCCESS ? answer : { rejected: size, reason: reasonOf(result.error) };
    answer = ACCEPTED;
    const refused = Math.min(rejected, size);
    counts.refused += refused;
    counts.sent += size - refused;
    onBatch(refused > 0 ? reason : null);
  }

  const batches = new BatchSpanProcessor({
    exporter: {
      export(spans, done) {
        waiting -= spans.length;
        exporter.export(spans, (result) => {
          count(result, spans.length);
          done(result);
        });
      },
      forceFlush: () => exporter.forceFlush(),
      shutdown: () => exporter.shutdown(),
    },
    maxQueueSize: queueSize,
    maxExportBatchSize: Math.min(BATCH, queueSize),
    scheduledDelayMillis: delayMs,
  });

  return {
    onStart: () => undefined,
    onEnd(span) {
      if (waiting >= queueSize) {
        counts.dropped += 1;
        return;
      }
      waiting += 1;
      batches.onEnd(span);
    },
    forceFlush: () => batches.forceFlush(),
    shutdown: () => batches.shutdown(),
    counts: () => ({ ...counts }),
  };
}

interface Answer {
  readonly rejected: number;
  readonly reason: string;
}

const ACCEPTED: Answer = { rejected: 0, reason: '' };
const WEB_PAGE: Answer = { rejected: Number.POSITIVE_INFINITY, reason: 'a web page answers at its address' };
const REASON_LENGTH = 500;
const answerSchema = z.object({
  partialSuccess: z.object({ rejectedSpans: z.coerce.number().int().min(0).default(0), errorMessage: z.string().default('') }),
});

/** The body of a response with status 2xx. */
function readAnswer(data: Uint8Array): Answer {
  const text = new TextDecoder().decode(data).trim();
  if (text.startsWith('<')) return WEB_PAGE;
  const { partialSuccess } = answerSchema.safeParse(parsed(text)).data ?? {};
  if (partialSuccess === undefined) return ACCEPTED;
  const { rejectedSpans: rejected, errorMessage } = partialSuccess;
  return { rejected, reason: `it refused ${rejected} spans${errorMessage === '' ? '' : `: ${errorMessage.slice(0, REASON_LENGTH)}`}` };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function reasonOf(error: Error | undefined): string {
  if (error instanceof OTLPExporterError)
    return error.code === undefined ? 'it answers that it is too busy' : `it answered with status ${error.code}`;
  // Node's error for a host with several addresses has a code and no message.
  return error?.message || String(Reflect.get(error ?? {}, 'code') ?? 'unknown');
}
