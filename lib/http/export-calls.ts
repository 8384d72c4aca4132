import { CALL_COLUMNS, callRow, csvLine } from '#lib/contract/calls-csv.ts';
import type { CallSelection } from '#lib/contract/call.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import type { Host } from '#lib/host/host.ts';
import { API_HEADERS } from './security-headers.ts';

/**
 * The history as a file that is written while it is read: a page of calls at a time, and the next one when the client has
 * taken the last, so that neither a million calls nor a slow client fill the memory. A client that goes away ends it.
 */
export function exportCalls(host: Host, { format, ...selection }: CallSelection & { readonly format: 'ndjson' | 'csv' }): Response {
  const lines = readLines(host, selection, format);
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const next = await lines.next();
          if (next.done === true) controller.close();
          else controller.enqueue(encoder.encode(next.value));
        } catch (error) {
          host.logger.error('An export of calls broke off', { error });
          controller.error(error);
        }
      },
      async cancel() {
        await lines.return(undefined);
      },
    },
    { highWaterMark: 1 },
  );
  const day = new Date().toISOString().slice(0, 10);
  return new Response(body, {
    headers: {
      ...API_HEADERS,
      'content-type': format === 'csv' ? 'text/csv; charset=utf-8' : 'application/x-ndjson; charset=utf-8',
      'content-disposition': `attachment; filename="calls-${day}.${format}"`,
    },
  });
}

/** A call that is long is a chunk of its own; short ones are gathered. */
const CHUNK_CHARACTERS = 65_536;

async function* readLines(host: Host, selection: CallSelection, format: 'ndjson' | 'csv'): AsyncGenerator<string, undefined> {
  let chunk = format === 'csv' ? csvLine(CALL_COLUMNS) : '';
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
