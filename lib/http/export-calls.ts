import type { CallSelection } from '#lib/contract/call.ts';
import { CALL_COLUMNS, callRow } from '#lib/contract/calls-csv.ts';
import { csvLine } from '#lib/contract/csv.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import type { Host } from '#lib/host/host.ts';
import { linesResponse } from './export-lines.ts';

export type CallsFile = CallSelection & { readonly format: 'ndjson' | 'csv'; readonly byte_order_mark?: boolean };

/** The history as a file: a page of calls at a time. */
export function exportCalls(host: Host, { format, byte_order_mark: isMarked = false, ...selection }: CallsFile): Response {
  const lines = readLines(host, selection, format, isMarked ? '\uFEFF' : '');
  return linesResponse({ name: 'calls', format, lines, logger: host.logger });
}

/** A call that is long is a chunk of its own; short ones are gathered. */
const CHUNK_CHARACTERS = 65_536;

async function* readLines(host: Host, selection: CallSelection, format: 'ndjson' | 'csv', mark: string): AsyncGenerator<string, undefined> {
  let chunk = format === 'csv' ? mark + csvLine(CALL_COLUMNS) : '';
  let cursor: string | null = null;
  do {
    const page = host.calls.list({ ...selection, limit: LIMITS.listMost, ...(cursor === null ? {} : { cursor }) });
    if (!page.ok) throw new Error(page.problem.detail);
    for (const listed of page.value.calls) {
      const isCut = listed.truncated === true || listed.logs_truncated;
      const whole = isCut ? host.calls.get(listed.id) : { ok: true as const, value: listed };
      if (!whole.ok) continue; // dropped since its page was read
      chunk += format === 'csv' ? csvLine(callRow(whole.value)) : `${JSON.stringify(whole.value)}\n`;
      if (chunk.length < CHUNK_CHARACTERS) continue;
      yield chunk;
      chunk = '';
    }
    cursor = page.value.next_cursor;
    if (chunk !== '') yield chunk;
    chunk = '';
    await new Promise<void>((resolve) => setImmediate(resolve));
  } while (cursor !== null);
  return undefined;
}
