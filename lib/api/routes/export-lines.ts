import { setImmediate } from 'node:timers/promises';
import { csvLine } from '#lib/contract/csv.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import type { Result } from '#lib/contract/result.ts';
import type { Logger } from '#lib/host/logger.ts';
import { answer } from '../answer.ts';

/**
 * A streamed file: lines are produced as the client reads, so neither a million lines nor a slow client fill the memory. It
 * ends when the client disconnects.
 */
export interface LinesFile<Item> {
  /** File name: `calls`, `audit`. */
  readonly name: string;
  readonly format: 'ndjson' | 'csv';
  readonly columns: Parameters<typeof csvLine>[0];
  row(item: Item): Parameters<typeof csvLine>[0];
  /** Before a table. */
  readonly mark?: string;
  read(place: { readonly limit: number; readonly cursor?: string }): Promise<Result<{ items: readonly Item[]; next: string | null }>>;
  readonly logger: Logger;
}

/** A long line is its own chunk; short ones are combined. */
const CHUNK_CHARACTERS = 65_536;

async function* linesOf<Item>({ name, format, columns, row, mark = '', read, logger }: LinesFile<Item>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  let chunk = format === 'csv' ? mark + csvLine(columns) : '';
  let cursor: string | null = null;
  do {
    const page = await read({ limit: LIMITS.listMost, ...(cursor === null ? {} : { cursor }) });
    if (!page.ok) {
      logger.error(`An export of ${name} broke off`, { error: page.problem.detail });
      throw new Error(page.problem.detail);
    }
    for (const item of page.value.items) {
      chunk += format === 'csv' ? csvLine(row(item)) : `${JSON.stringify(item)}\n`;
      if (chunk.length < CHUNK_CHARACTERS) continue;
      yield encoder.encode(chunk);
      chunk = '';
    }
    cursor = page.value.next;
    if (chunk !== '') yield encoder.encode(chunk);
    chunk = '';
    await setImmediate();
  } while (cursor !== null);
}

export function answerLines<Item>(file: LinesFile<Item>): Response {
  const { name, format } = file;
  const day = new Date().toISOString().slice(0, 10);
  return answer(200, ReadableStream.from(linesOf(file)), {
    'content-type': format === 'csv' ? 'text/csv; charset=utf-8' : 'application/x-ndjson; charset=utf-8',
    'content-disposition': `attachment; filename="${name}-${day}.${format}"`,
  });
}
