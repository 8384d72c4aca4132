import { deserializeMessage, type JSONRPCMessage, type Transport } from '@modelcontextprotocol/client';
import { isRecord } from '../frames.ts';
import { STREAM_ENDED } from './server-errors.ts';
import { readIcons } from './server-fields.ts';

/**
 * Between a server and the official client, which rejects a complete answer for one unexpected field and reports a validator dump.
 * Lists and results bypass the client (`originalAnswer`) and are parsed here, part by part. Elsewhere null counts as absent, as many
 * servers use it.
 *
 * What can go wrong: a response that is not JSON-RPC leaves its request unanswered until its timeout. If such a line has the id of
 * a request, it becomes an error of that request. So does the end of a stream without the response to its request, which the client
 * does not notice; a stream with event ids is first resumed by the transport.
 */
export function readLeniently<Kind extends Transport>(transport: Kind): Kind {
  const asked = new Map<string, string>();
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    if ('method' in message && 'id' in message) asked.set(String(message.id), message.method);
    else if ('method' in message && message.method === CANCELLED) asked.delete(String(message.params?.['requestId']));
    const id = 'method' in message && 'id' in message && options?.onRequestStreamEnd === undefined ? message.id : null;
    if (id === null) return send(message, options);
    const onRequestStreamEnd = (): void => {
      if (asked.delete(String(id))) transport.onmessage?.({ jsonrpc: '2.0', id, error: STREAM_ENDED });
    };
    return send(message, { ...options, onRequestStreamEnd });
  };
  let onmessage = transport.onmessage;
  Object.defineProperty(transport, 'onmessage', {
    configurable: true,
    get: () => onmessage,
    set(next: Transport['onmessage']) {
      onmessage = next === undefined ? next : (message, extra) => next(unread(message, asked), extra);
    },
  });
  return transport;
}

const CANCELLED = 'notifications/cancelled';
const SAID = 'switchboard/said';

/** Placeholders for results that are parsed here. */
const PLACEHOLDERS: Readonly<Record<string, object>> = {
  'tools/list': { tools: [], ttlMs: 0, cacheScope: 'private' },
  'tools/call': { content: [] },
  'resources/list': { resources: [], ttlMs: 0, cacheScope: 'private' },
  'resources/templates/list': { resourceTemplates: [], ttlMs: 0, cacheScope: 'private' },
  'resources/read': { contents: [], ttlMs: 0, cacheScope: 'private' },
  'prompts/list': { prompts: [], ttlMs: 0, cacheScope: 'private' },
  'prompts/get': { messages: [] },
  'completion/complete': { completion: { values: [] } },
};
const BEGINNINGS: ReadonlySet<string> = new Set(['initialize', 'server/discover']);
/** Stateless protocol: any other type means that the server needs something first, or is unknown. */
const isComplete = (type: unknown): boolean => type === undefined || type === null || type === 'complete';

function unread<Message extends JSONRPCMessage>(message: Message, asked: Map<string, string>): Message {
  if ('method' in message) return isRecord(message.params) ? { ...message, params: withoutNulls(message.params) } : message;
  const id = String(message.id);
  if (!('result' in message)) {
    asked.delete(id);
    return message;
  }
  const method = asked.get(id) ?? '';
  asked.delete(id);
  const { result } = message;
  if (BEGINNINGS.has(method)) return { ...message, result: readBeginning(result) };
  const placeholder = PLACEHOLDERS[method];
  return placeholder === undefined || !isComplete(result['resultType'])
    ? message
    : { ...message, result: { ...placeholder, resultType: 'complete', _meta: { [SAID]: result } } };
}

/** The server's original answer to one of these requests. */
export function originalAnswer(result: { readonly _meta?: unknown }): Readonly<Record<string, unknown>> {
  const said = isRecord(result._meta) ? result._meta[SAID] : undefined;
  return isRecord(said) ? said : {};
}

/** Null has no meaning there; the client requires the name and version of the server. */
function readBeginning(result: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { serverInfo, capabilities, instructions, ...rest } = withoutNulls(result);
  const about = isRecord(serverInfo) ? withoutNulls(serverInfo) : {};
  const text = (value: unknown): string => (typeof value === 'string' || typeof value === 'number' ? String(value) : '');
  return {
    ...rest,
    ...(typeof instructions === 'string' ? { instructions } : {}),
    capabilities: isRecord(capabilities) ? Object.fromEntries(Object.entries(withoutNulls(capabilities)).map(readCapability)) : {},
    ...(serverInfo === undefined && 'supportedVersions' in rest
      ? {}
      : {
          serverInfo: {
            name: text(about['name']),
            version: text(about['version']),
            ...Object.fromEntries(
              ['title', 'description'].flatMap((field) => (typeof about[field] === 'string' ? [[field, about[field]]] : [])),
            ),
            ...(Array.isArray(about['icons']) ? { icons: readIcons(about['icons'], () => undefined) } : {}),
          },
        }),
  };
}

function readCapability([name, value]: readonly [string, unknown]): [string, unknown] {
  // Some servers write `true`, and PHP writes an empty list for an empty object.
  return [name, isRecord(value) ? withoutNulls(value) : value === true || Array.isArray(value) ? {} : value];
}

function withoutNulls(record: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== null));
}

/** One line from a server process. Null: output, not a message. */
export function readMessage(line: string): JSONRPCMessage | null {
  try {
    return deserializeMessage(line);
  } catch {
    const normalized = normalizeMessage(line);
    return normalized === null ? null : deserializeMessage(normalized);
  }
}

/** The message with null as absent; null if it is not JSON-RPC. */
function normalizeMessage(text: string): string | null {
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch {
    return null;
  }
  if (!isRecord(message) || message['jsonrpc'] !== '2.0') return null;
  const { id, method, params, result, error } = message;
  const name = typeof id === 'string' || typeof id === 'number' ? { id } : {};
  if (typeof method === 'string')
    return JSON.stringify({ jsonrpc: '2.0', ...name, method, ...(isRecord(params) ? { params: withNoNullMeta(params) } : {}) });
  if (!('id' in name)) return null;
  const failure = error === undefined || error === null ? null : readError(error);
  if (failure !== null) return JSON.stringify({ jsonrpc: '2.0', ...name, error: failure });
  if (result === undefined || result === null || isRecord(result))
    return JSON.stringify({ jsonrpc: '2.0', ...name, result: withNoNullMeta(result ?? {}) });
  return JSON.stringify({ jsonrpc: '2.0', ...name, error: { code: INTERNAL_ERROR, message: 'its result is not an object' } });
}

const INTERNAL_ERROR = -32_603;

function readError(error: unknown): object {
  if (!isRecord(error)) return { code: INTERNAL_ERROR, message: typeof error === 'string' ? error : JSON.stringify(error) };
  const { code, message, data } = error;
  return {
    code: Number.isSafeInteger(code) ? code : INTERNAL_ERROR,
    message: typeof message === 'string' ? message : 'it did not say why',
    ...(data === undefined ? {} : { data }),
  };
}

function withNoNullMeta(record: Readonly<Record<string, unknown>>): object {
  const { _meta, ...rest } = record;
  return isRecord(_meta) ? { ...rest, _meta } : rest;
}

/** Longer texts only get a quick check: parsing them twice takes time. */
const LONG_CHARACTERS = 65_536;
const MAY_BE_ODD = /"(?:id|params|_meta)"\s*:\s*(?:null|\[)|"(?:result|error)"\s*:\s*[^{\s]|"error"\s*:\s*\{/;

/** For servers at a URL, whose answers the client parses itself. */
export async function fetchLeniently(url: string | URL, init?: RequestInit): Promise<Response> {
  const response = await fetch(url, init);
  const type = response.headers.get('content-type') ?? '';
  if (response.body === null || !response.ok) return response;
  if (type.includes('application/json')) return respond(response, normalizeText(await response.text()));
  if (type.includes('text/event-stream')) return respond(response, response.body.pipeThrough(normalizeStream()));
  return response;
}

function respond({ status, statusText, headers }: Response, body: string | ReadableStream<Uint8Array>): Response {
  return new Response(body, { status, statusText, headers });
}

/** Returns valid messages unchanged: serializing them again could change numbers. */
function normalizeText(text: string): string {
  if (text.length > LONG_CHARACTERS && !MAY_BE_ODD.test(text)) return text;
  try {
    deserializeMessage(text);
    return text;
  } catch {
    return normalizeMessage(text) ?? text;
  }
}

/** Each message is one `data:` line; buffers incomplete lines. */
function normalizeStream(): TransformStream<Uint8Array, Uint8Array> {
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  let rest = '';
  return new TransformStream({
    transform(bytes, controller) {
      const chunk = decoder.decode(bytes, { stream: true });
      const at = chunk.lastIndexOf('\n') + 1;
      if (at === 0) {
        rest += chunk;
        return;
      }
      const lines = rest + chunk.slice(0, at);
      rest = chunk.slice(at);
      controller.enqueue(
        encoder.encode(lines.replaceAll(DATA_LINE, (_line, before: string, text: string) => before + normalizeText(text))),
      );
    },
    flush: (controller) => controller.enqueue(encoder.encode(rest)),
  });
}

const DATA_LINE = /^(data: ?)(\{.*)$/gm;
