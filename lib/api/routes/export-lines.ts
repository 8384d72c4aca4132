import type { Logger } from '#lib/host/logger.ts';
import { API_HEADERS } from '../security-headers.ts';

/**
 * A file that is written while it is read: the next lines are made when the client has taken the last, so that neither a
 * million of them nor a slow client fill the memory. A client that goes away ends it.
 */
export interface LinesFile {
  /** Of the file: `calls`, `audit`. */
  readonly name: string;
  readonly format: 'ndjson' | 'csv';
  /** Pieces of text, each of whole lines. */
  readonly lines: AsyncGenerator<string, undefined>;
  readonly logger: Logger;
}

export function answerLines({ name, format, lines, logger }: LinesFile): Response {
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const next = await lines.next();
          if (next.done === true) controller.close();
          else controller.enqueue(encoder.encode(next.value));
        } catch (error) {
          logger.error(`An export of ${name} broke off`, { error });
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
      'content-disposition': `attachment; filename="${name}-${day}.${format}"`,
    },
  });
}
