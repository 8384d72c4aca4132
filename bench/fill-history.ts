import { randomUUIDv7 } from 'node:crypto';
import { openStore } from '#lib/store/open-store.ts';
import type { CallEnd, RunningCallRow } from '#lib/store/store.ts';

/**
 * A history of months, written through the product's store, so that it is stored and indexed like real calls, without waiting
 * for the disk.
 */
export const MARKS = { common: 'harbour', rare: 'quetzalcoatl' } as const;

const AT_ONCE = 500;
const SPAN_MS = 30 * 86_400_000;
const TOOLS = 20;
const FAILED_EVERY = 25;
const COMMON_EVERY = 8;
const RARE_EVERY = 100_000;
const CITIES = ['Oslo', 'Lisbon', 'Lagos', 'Lima', 'Osaka', 'Quito', 'Riga', 'Perth'];

export interface FilledHistory {
  /** In the middle of the history. */
  readonly middle: string;
  readonly aTool: string;
  readonly tookMs: number;
}

export async function fillHistory(database: Parameters<typeof openStore>[0], calls: number): Promise<FilledHistory> {
  const began = performance.now();
  const opened = await openStore(database);
  if (!opened.ok) throw new Error(opened.reason);
  const { store } = opened;
  const from = Date.now() - SPAN_MS;
  const timeOf = (at: number): number => from + (at / calls) * SPAN_MS;
  for (let first = 0; first < calls; first += AT_ONCE) {
    const rows = Array.from({ length: Math.min(AT_ONCE, calls - first) }, (_, at) => callAt(first + at, timeOf(first + at)));
    await Promise.all(rows.map(({ begun }) => store.calls.insertRunning(begun)));
    await Promise.all(rows.map(({ begun, end }) => store.calls.finish(begun.id, end)));
  }
  // A search indexes the remaining calls first.
  await store.calls.list({ q: MARKS.rare, limit: 1 });
  await store.close();
  return { middle: new Date(timeOf(calls / 2)).toISOString(), aTool: toolAt(7), tookMs: performance.now() - began };
}

function toolAt(at: number): string {
  return `add_${String(at % TOOLS).padStart(2, '0')}_0`;
}

/** A call that began at this time, and its end. */
export function callAt(at: number, time: number): { readonly begun: RunningCallRow; readonly end: CallEnd } {
  const durationMs = 1 + ((at * 7_919) % 1_000) / 10;
  const city = CITIES[at % CITIES.length] ?? '';
  const words = [city, at % COMMON_EVERY === 0 ? MARKS.common : '', at % RARE_EVERY === 0 ? MARKS.rare : ''].join(' ').trim();
  const isFailed = at % FAILED_EVERY === 0;
  return {
    begun: {
      id: randomUUIDv7(),
      tool: toolAt(at),
      extension: `bench_${String(at % TOOLS).padStart(2, '0')}`,
      revision: 1,
      snapshotVersion: 1,
      source: at % 3 === 0 ? 'mcp' : 'api',
      actor: null,
      argumentsText: JSON.stringify({ left: at, note: words }),
      redacted: [],
      startedAt: new Date(time).toISOString(),
      replayOf: null,
      instance: 'one',
    },
    end: {
      revision: 1,
      status: isFailed ? 'failed' : 'succeeded',
      resultText: isFailed ? null : JSON.stringify({ sum: at + 1 }),
      error: isFailed ? { kind: 'execution_error', message: `No sum for ${at} in ${city}.` } : null,
      logs: [],
      logsTruncated: false,
      progress: null,
      finishedAt: new Date(time + durationMs).toISOString(),
      durationMs,
    },
  };
}
