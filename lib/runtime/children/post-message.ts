import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { createParser } from 'eventsource-parser';
import type { Agent, IncomingMessage } from 'node:http';

/**
 * `fetch` for a message to a server at an `http:` address, over Node's own client: the global `fetch` and the streams behind it take
 * most of the processor time of a short call. A stream that begins with the response is answered as JSON, so that the official
 * client reads it without streams. Other streams pass unchanged.
 *
 * What can go wrong: the server sends progress or a question first, or ends the stream to be called back later (the official client
 * gets the stream from its first event on); it redirects (the global `fetch` follows, by its own rules); the connection breaks (the
 * error is that of `fetch`).
 */
export interface PlainPost extends RequestInit {
  readonly headers: Headers;
  readonly body: string;
}

/** A change of the text of a message. */
type Tidy = (text: string) => string;

export function isPlainPost(url: URL, init: RequestInit | undefined): init is PlainPost {
  const isPlain = url.protocol === 'http:' && url.username === '' && init?.method === 'POST';
  return isPlain && typeof init.body === 'string' && init.headers instanceof Headers;
}

export async function postMessage(url: URL, init: PlainPost, tidy: Tidy): Promise<Response> {
  try {
    const message = await send(url, init);
    const { statusCode: status = 0, headers } = message;
    if (status >= 300 && status < 400) {
      message.resume();
      return await fetch(url, init);
    }
    const type = headers['content-type'] ?? '';
    if (status < 300 && type.includes('text/event-stream')) return await readStream(message, tidy);
    const text = await readText(message);
    return new TextResponse(status < 300 && type.includes('application/json') ? tidy(text) : text, aboutOf(message));
  } catch (error) {
    init.signal?.throwIfAborted();
    throw error instanceof TypeError ? error : new TypeError('fetch failed', { cause: error });
  }
}

/** Below the time after which servers close an idle connection, mostly 5 s: a message could cross with that. As `fetch` does it. */
const IDLE_MS = 4_000;
let http: { readonly request: typeof import('node:http').request; readonly agent: Agent } | null = null;

/** Servers that are commands never need it. */
async function loadHttp(): Promise<NonNullable<typeof http>> {
  const { Agent, request } = await import('node:http');
  return { request, agent: new Agent({ keepAlive: true, timeout: IDLE_MS }) };
}

async function send(url: URL, { headers, body, signal }: PlainPost): Promise<IncomingMessage> {
  http ??= await loadHttp();
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const sent = http.request(url, {
    method: 'POST',
    agent: http.agent,
    headers: { ...Object.fromEntries(headers), 'content-length': Buffer.byteLength(body) },
    ...(signal === null || signal === undefined ? {} : { signal }),
  });
  // After the response, its stream has the errors.
  sent.on('response', resolve).on('error', reject).end(body);
  return promise;
}

/** Has its text already, so reading it needs no stream. */
class TextResponse extends Response {
  readonly #text: string;

  constructor(text: string, about: ResponseInit) {
    super(null, about);
    this.#text = text;
  }

  override readonly text = async (): Promise<string> => this.#text;
  override readonly json = async (): Promise<unknown> => JSON.parse(this.#text);
}

async function readText(message: IncomingMessage): Promise<string> {
  let text = '';
  message.setEncoding('utf8').on('data', (part: string) => (text += part));
  await finished(message);
  return text;
}

function readStream(message: IncomingMessage, tidy: Tidy): Promise<Response> {
  const { promise, resolve } = Promise.withResolvers<Response>();
  const about = aboutOf(message);
  const parts: Buffer[] = [];
  const decoder = new TextDecoder();
  let events = 0;
  let response: string | null = null;
  const parser = createParser({
    onEvent({ event = 'message', data }) {
      // Without data it only has the id to call back with.
      if (data === '') return;
      events += 1;
      response = events === 1 && event === 'message' && !data.includes('"method"') ? data : null;
    },
  });
  const settle = (answer: Response): void => {
    message.off('data', take).off('end', end).off('error', fail);
    resolve(answer);
  };
  const take = (part: Buffer): void => {
    parts.push(part);
    parser.feed(decoder.decode(part, { stream: true }));
    if (events === 0) return;
    if (response === null) {
      message.pause().unshift(Buffer.concat(parts));
      return settle(new Response(webStream(message), about));
    }
    about.headers.set('content-type', 'application/json');
    settle(new TextResponse(tidy(response), about));
    // The connection is used again when the rest has been read.
    message.on('error', () => undefined).resume();
  };
  const end = (): void => settle(new Response(Buffer.concat(parts), about));
  const fail = (error: Error): void => settle(new Response(webStream(Readable.from(breakingOff(parts, error))), about));
  message.on('data', take).on('end', end).on('error', fail);
  return promise;
}

async function* breakingOff(parts: readonly Buffer[], error: Error): AsyncGenerator<Buffer> {
  yield* parts;
  throw error;
}

/** Its type is that of Node's own module, which `Response` does not take. */
function webStream(source: Readable): ReadableStream {
  return Readable.toWeb(source) as unknown as ReadableStream;
}

function aboutOf({ statusCode = 0, statusMessage = '', rawHeaders }: IncomingMessage): ResponseInit & { readonly headers: Headers } {
  const headers = new Headers();
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) headers.append(rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '');
  return { status: statusCode, statusText: statusMessage, headers };
}
