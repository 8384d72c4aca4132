import { setTimeout as wait } from 'node:timers/promises';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import * as z from 'zod';
import { EVENT_TYPES, eventDataSchema } from '#lib/contract/events.ts';
import type { HostEvent } from '#lib/contract/events.ts';
import { API } from '#lib/contract/paths.ts';

/**
 * Live events of a server until `signal` aborts. It reconnects and resumes after the last id, so no event is lost or
 * repeated; `host.resync` reports a gap.
 */
export interface EventSourceOptions {
  readonly url: string;
  /** Headers that identify the caller. */
  readonly headers: Readonly<Record<string, string>>;
  /** Comma-separated types; all by default. */
  readonly types: string | undefined;
  /** Starts after this id instead of now. */
  readonly after: number | null;
  readonly signal: AbortSignal;
  /** Reason of a lost connection, once per loss; null after reconnecting. */
  onBreak(reason: string | null): void;
}

const RETRY_MS = 500;
const RETRY_MOST_MS = 10_000;
/** The server's first message: the start of this stream. */
const BEGINNING = /^(?:retry: \d+\n)?id: (\d+)\n\n/;

const problemSchema = z.looseObject({ code: z.string(), detail: z.string() });
const dataSchema = z.preprocess((text) => (typeof text === 'string' ? parse(text) : text), eventDataSchema);
const typeSchema = z.enum(EVENT_TYPES);

/** Throws only when the server rejects the request permanently. */
export async function* readEvents(options: EventSourceOptions): AsyncGenerator<HostEvent> {
  const { signal } = options;
  let last = options.after;
  let retryMs = RETRY_MS;
  let isBroken = false;
  const note = (id: number): void => {
    last = id;
    retryMs = RETRY_MS;
  };

  while (!signal.aborted) {
    let reason = 'the server ended it';
    try {
      for await (const event of readConnection(options, last, note, () => {
        if (isBroken) options.onBreak(null);
        isBroken = false;
      })) {
        note(event.id);
        yield event;
      }
    } catch (error) {
      if (isRefusal(error)) throw error;
      reason = error instanceof Error ? error.message : String(error);
    }
    if (signal.aborted) return;
    if (!isBroken) options.onBreak(reason);
    isBroken = true;
    await wait(retryMs, undefined, { signal }).catch(() => undefined);
    retryMs = Math.min(retryMs * 2, RETRY_MOST_MS);
  }
}

async function* readConnection(
  { url, headers, types, signal }: EventSourceOptions,
  last: number | null,
  note: (id: number) => void,
  onOpen: () => void,
): AsyncGenerator<HostEvent> {
  const query = types === undefined ? '' : `?types=${encodeURIComponent(types)}`;
  const response = await fetch(`${url}${API.events}${query}`, {
    headers: { ...headers, accept: 'text/event-stream', ...(last === null ? {} : { 'last-event-id': String(last) }) },
    signal,
  });
  if (!response.ok || response.body === null) throw await refusalOf(response);
  onOpen();
  let isFirst = true;
  const beginning = new TransformStream<string, string>({
    transform(chunk, controller) {
      const id = isFirst ? BEGINNING.exec(chunk)?.[1] : undefined;
      isFirst = false;
      if (id !== undefined) note(Number(id));
      controller.enqueue(chunk);
    },
  });
  const messages = response.body.pipeThrough(new TextDecoderStream()).pipeThrough(beginning).pipeThrough(new EventSourceParserStream());
  for await (const { id, event, data } of messages) {
    const type = typeSchema.safeParse(event);
    const parsed = dataSchema.safeParse(data);
    // A newer server may send unknown types.
    if (type.success && parsed.success) yield { id: Number(id), type: type.data, data: parsed.data };
  }
}

const REFUSED = 'REFUSED';

/** Retrying helps only with temporary rejections. */
async function refusalOf(response: Response): Promise<Error> {
  const problem = problemSchema.safeParse(parse(await response.text()));
  const words = problem.success ? problem.data.detail : `the server answered ${response.status}`;
  return Object.assign(new Error(words), { code: response.status < 500 && response.status !== 429 ? REFUSED : null });
}

export function isRefusal(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && error.code === REFUSED;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
