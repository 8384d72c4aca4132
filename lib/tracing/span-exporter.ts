import type { SpanCounts } from '#lib/contract/tracing.ts';
import { otlpJson } from './otlp-json.ts';
import type { EndedSpan, Sender } from './otlp-json.ts';
import type { PostSpans } from './post-spans.ts';

/**
 * Ended spans to a collector, in batches, beside the work they tell of. What can go wrong:
 * - the collector is slow or gone: spans wait in a queue with an end; those that find no room are dropped and counted, and
 *   nobody waits for any of this;
 * - it refuses for now: a batch is tried three times, with growing waits; then it counts as refused, and the next one goes;
 * - it is wrong for hours: that is said once, and once more when it is well again, not with each batch;
 * - the server stops: what waits is sent, each batch tried once, as long as the stop has time.
 */
export interface SpanExporter {
  add(span: EndedSpan): void;
  counts(): SpanCounts;
  /** Sends what waits, for at most `limitMs`. Idempotent. */
  close(limitMs: number): Promise<void>;
}

export interface SpanExporterOptions {
  readonly sender: Sender;
  readonly to: PostSpans;
  readonly queueSize: number;
  /** A full batch is sent at once, others after so long. */
  readonly delayMs: number;
  readonly firstWaitMs?: number;
  /** With the reason, when sending begins to fail; null when it works again. */
  onTrouble(reason: string | null): void;
}

/** Turning so many into text takes a millisecond. */
const BATCH = 256;
const TRIES = 3;
const WAIT_MS = 1_000;
const WAIT_MOST_MS = 30_000;
/** The clock of the machine was set since: spans are told by the new one. */
const CLOCK_DRIFT_MS = 250;

export function createSpanExporter(options: SpanExporterOptions): SpanExporter {
  const { to, sender, queueSize, delayMs, firstWaitMs = WAIT_MS } = options;
  const counts = { sent: 0, dropped: 0, refused: 0 };
  const stopping = new AbortController();
  let waiting: EndedSpan[] = [];
  let timer: NodeJS.Timeout | null = null;
  let sending: Promise<void> | null = null;
  let closing: Promise<void> | null = null;
  let skipWait: (() => void) | null = null;
  let isInTrouble = false;
  let epoch = epochNow();

  function plan(ms: number): void {
    if (sending !== null || closing !== null) return;
    if (timer !== null && ms > 0) return;
    if (timer !== null) clearTimeout(timer);
    timer = setTimeout(() => {
      timer = null;
      sending = sendAll().finally(() => {
        sending = null;
        if (waiting.length > 0) plan(waiting.length >= BATCH ? 0 : delayMs);
      });
    }, ms).unref();
  }

  async function sendAll(): Promise<void> {
    do {
      const batch = waiting.slice(0, BATCH);
      waiting = waiting.slice(BATCH);
      await sendBatch(batch);
    } while (waiting.length >= BATCH);
  }

  async function sendBatch(batch: readonly EndedSpan[]): Promise<void> {
    if (Math.abs(epochNow() - epoch) > CLOCK_DRIFT_MS) epoch = epochNow();
    const body = otlpJson(sender, batch, epoch);
    let waitMs = firstWaitMs;
    for (let tried = 1; ; tried += 1) {
      const posted = await to.post(body, stopping.signal);
      if (posted.outcome === 'taken') {
        counts.sent += batch.length - posted.refused;
        counts.refused += posted.refused;
        tell(posted.refused > 0 ? `it refused ${posted.refused} spans${posted.reason === null ? '' : `: ${posted.reason}`}` : null);
        return;
      }
      if (stopping.signal.aborted) {
        counts.dropped += batch.length;
        return;
      }
      tell(posted.reason);
      if (posted.outcome === 'refused' || tried === TRIES || closing !== null) {
        counts.refused += batch.length;
        return;
      }
      await wait(Math.min(posted.waitMs ?? waitMs, WAIT_MOST_MS));
      waitMs *= 2;
    }
  }

  function wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const pause = setTimeout(resolve, ms).unref();
      skipWait = () => {
        clearTimeout(pause);
        resolve();
      };
    });
  }

  function tell(reason: string | null): void {
    if (isInTrouble === (reason !== null)) return;
    isInTrouble = reason !== null;
    options.onTrouble(reason);
  }

  async function flush(limitMs: number): Promise<void> {
    const cut = setTimeout(() => stopping.abort(), limitMs);
    if (timer !== null) clearTimeout(timer);
    skipWait?.();
    await sending;
    while (waiting.length > 0 && !stopping.signal.aborted) await sendAll();
    clearTimeout(cut);
    counts.dropped += waiting.length;
    waiting = [];
    to.close();
  }

  return {
    add(span) {
      if (closing !== null || waiting.length >= queueSize) {
        counts.dropped += 1;
        return;
      }
      waiting.push(span);
      plan(waiting.length >= BATCH ? 0 : delayMs);
    },
    counts: () => ({ ...counts }),
    close(limitMs) {
      closing ??= flush(limitMs);
      return closing;
    },
  };
}

function epochNow(): number {
  return Date.now() - performance.now();
}
