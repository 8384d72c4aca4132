import { setTimeout as wait } from 'node:timers/promises';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import * as z from 'zod';
import { callSchema } from '#lib/contract/call.ts';
import { EVENT_TYPES, eventDataSchema } from '#lib/contract/events.ts';
import type { EventType, HostEvent } from '#lib/contract/events.ts';
import { API } from '#lib/contract/paths.ts';
import { escapeControl } from '#lib/host/escape-control.ts';
import { nearestName } from '#lib/schema/nearest-name.ts';
import { cannotDo, EXIT, wrongUsage } from './command.ts';
import type { Command, CommandContext, Style } from './command.ts';
import { jsonText } from './json-text.ts';
import { readNumber, readOptions, refuseWords } from './read-options.ts';
import { requireServer } from './running-server.ts';
import type { RunningServer } from './running-server.ts';

export const tailCommand: Command = {
  name: 'tail',
  summary: 'Follow events of a server: calls, saves, failures, messages',
  help: `Prints events of a server, one per line, until Ctrl C. It reconnects automatically and prints missed events.

Usage: switchboard tail [options]

  --types LIST      event types, comma-separated, such as call.finished,extension.failed
  --tool NAME       calls of this tool
  --extension ID    events of this extension
  --after ID        start after the event with this id
  --json            one JSON object per event: {id, type, data}
  --url URL         the server; SWITCHBOARD_URL, or http://HOST:PORT (http://127.0.0.1:3000) by default

Exit codes: 0 interrupted, 2 invalid command line, 3 no server.

  switchboard tail
  switchboard tail --types call.finished --tool get_weather
  switchboard tail --json | jq -c 'select(.data.status == "failed")'
`,

  async run(args, context) {
    const { values, positionals } = readOptions(args, {
      types: { type: 'string' },
      tool: { type: 'string' },
      extension: { type: 'string' },
      after: { type: 'string' },
      json: { type: 'boolean' },
      url: { type: 'string' },
    });
    refuseWords(positionals, 'Write filters as options, such as --tool get_weather.');
    const after = values.after === undefined ? null : readNumber('--after', values.after, 0, 9_999_999_999);
    checkTypes(values.types);
    const server = await requireServer(context, values.url);
    const events = readEvents({
      url: server.url,
      headers: server.headers,
      types: values.types,
      after,
      signal: context.signal,
      onBreak: (reason) => context.note(reason === null ? 'Reconnected.' : `Lost the connection to ${server.url}: ${reason}. Retrying.`),
    });
    try {
      for await (const event of events) {
        if (!isWanted(event, values.tool, values.extension)) continue;
        await context.print(values.json ? `${jsonText(event)}\n` : await eventLine(event, server, context));
      }
    } catch (error) {
      if (isRefusal(error)) throw cannotDo(error.message);
      if (!context.signal.aborted) throw error;
    }
    return EXIT.ok;
  },
};

function checkTypes(given: string | undefined): void {
  for (const type of given?.split(',').map((part) => part.trim()) ?? []) {
    if (EVENT_TYPES.some((known) => known === type)) continue;
    const meant = nearestName(type, EVENT_TYPES);
    throw wrongUsage(
      `“${type}” is not an event type. ${meant === null ? `There are: ${EVENT_TYPES.join(', ')}.` : `Did you mean ${meant}?`}`,
    );
  }
}

function isWanted({ type, data }: HostEvent, tool: string | undefined, extension: string | undefined): boolean {
  if (type === 'host.resync') return true;
  return (tool === undefined || data.tool === tool) && (extension === undefined || data.extension === extension);
}

const STYLES: Readonly<Partial<Record<EventType, Style>>> = {
  'extension.failed': 'red',
  'extension.loaded': 'green',
  'extension.removed': 'yellow',
  'failure.changed': 'yellow',
  'host.resync': 'yellow',
};

async function eventLine(event: HostEvent, server: RunningServer, context: CommandContext): Promise<string> {
  const clock = new Date().toTimeString().slice(0, 8);
  const style = event.type === 'call.finished' && event.data.status !== 'succeeded' ? 'red' : STYLES[event.type];
  const type = event.type.padEnd(17);
  const words = event.type === 'call.finished' ? await endOfCall(event, server) : wordsOf(event);
  return `${context.paint('dim', clock)} ${style === undefined ? type : context.paint(style, type)} ${escapeControl(words)}\n`;
}

function wordsOf({ type, data }: HostEvent): string {
  if (type === 'host.resync') return 'Some events are no longer available.';
  if (type === 'snapshot.changed') return `version ${data.snapshot_version}`;
  const revision = data.revision == null ? '' : `revision ${data.revision}`;
  const parts = type.startsWith('call.')
    ? [data.tool, data.status, data.call_id]
    : [data.extension, revision, data.channel, data.status, data.group_id, data.message_id];
  return parts.filter((part) => part !== undefined && part !== '').join('  ');
}

/** Events contain ids only; duration and error are in the call. */
async function endOfCall(event: HostEvent, server: RunningServer): Promise<string> {
  const { call_id: id } = event.data;
  if (id === undefined) return wordsOf(event);
  try {
    const call = await server.get(API.call(id), callSchema);
    const took = call.duration_ms === null ? '' : `${Math.round(call.duration_ms)} ms`;
    return [call.tool, call.status, took, call.source, id, call.error?.message ?? ''].filter((part) => part !== '').join('  ');
  } catch {
    return wordsOf(event);
  }
}

/**
 * Live events of a server until `signal` aborts. It reconnects and resumes after the last id, so no event is lost or
 * repeated; `host.resync` reports a gap.
 */
interface EventSourceOptions {
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
async function* readEvents(options: EventSourceOptions): AsyncGenerator<HostEvent> {
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

function isRefusal(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && error.code === REFUSED;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
