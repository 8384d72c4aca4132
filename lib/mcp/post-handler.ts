import {
  isInitializeRequest,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResponse,
  classifyInboundRequest,
  UnsupportedProtocolVersionError,
} from '@modelcontextprotocol/server';
import type { JSONRPCNotification, JSONRPCRequest, JSONRPCResponse } from '@modelcontextprotocol/server';
import { jsonText, FULL_SCOPE } from '#lib/contract/mcp-exchange.ts';
import type { McpAnswer, McpExchange, McpHeaders } from '#lib/contract/mcp-exchange.ts';
import type { AskReply } from '#lib/contract/client-asks.ts';
import type { Host } from '#lib/host/host.ts';
import { type AgentRequest, serveRequest } from './agent-server.ts';
import { endedStream } from './answer-transport.ts';
import {
  BATCH_VERSION,
  failureAnswer,
  HEADERS,
  type MethodsContext,
  MODERN_VERSION,
  type Params,
  type Refusal,
  type RequestId,
  RPC,
} from './protocol.ts';
import { reportRoots, acceptAnswer } from './caller-answers.ts';
import { CALL_TOOL, type Catalogues, findTool, readCall } from './tool-catalogue.ts';
import { refusalOf } from './method-actions.ts';
import { createNotifications } from './notifications.ts';
import type { Notifications } from './notifications.ts';
import { findSession } from './sessions.ts';
import type { Session } from './sessions.ts';
import { proxiedFeatures, subscribeProxied } from './proxied-features.ts';
import { listPrompts } from './prompts.ts';
import { listResources } from './resources.ts';
import { decodeHeaderValue, mismatch } from './header-parameters.ts';

/**
 * `POST`: one message, or in one protocol version an array. Each request is served separately, once its generation, session and
 * permission are known. This module imports everything that needs the SDK, so it is loaded lazily.
 */
interface PostContext extends MethodsContext {
  readonly notifications: Notifications;
  readonly changes: ChangeNotifications;
}

export interface PostHandler {
  readonly notifications: Notifications;
  readonly changes: ChangeNotifications;
  answer(exchange: McpExchange, body: unknown): Promise<McpAnswer>;
}

export function createPostHandler(methods: MethodsContext): PostHandler {
  const { host, server, sessions, catalogues } = methods;
  const notifications = createNotifications({
    sessions,
    server,
    toolsOf: (caller) => catalogues.current(caller).modernTools.json,
    subscribe: (uri, caller) => subscribeProxied(host, uri, caller, true),
  });
  const changes = createChangeNotifications(host, catalogues, notifications);
  const context: PostContext = { ...methods, notifications, changes };
  return { notifications, changes, answer: (exchange, body) => answerPost(exchange, body, context) };
}

const MOST = 100;

async function answerPost(exchange: McpExchange, body: unknown, context: PostContext): Promise<McpAnswer> {
  if (Array.isArray(body)) return answerBatch(exchange, body, context);
  const inbound = readInbound(body, exchange);
  if (inbound.kind === 'refused') return failureAnswer(inbound.id, inbound.refusal);
  if (inbound.kind === 'response') {
    const found = findSession(context.sessions, exchange, false);
    if (!found.ok) return failureAnswer(null, found.refusal);
    if (found.session !== null && inbound.message !== null) answerQuestion(context, found.session, inbound.message);
    return accepted();
  }
  if (inbound.kind === 'notification') {
    // In the stateless protocol a closed connection cancels; other notifications have no effect.
    if (inbound.isModern) return accepted();
    const found = findSession(context.sessions, exchange, false);
    if (!found.ok) return failureAnswer(null, found.refusal);
    await handleNotification(inbound.message, found.session, exchange, context);
    return accepted();
  }
  const { revision, message } = inbound;
  const found = revision === null ? findSession(context.sessions, exchange, message.method === 'initialize') : NO_SESSION;
  if (!found.ok) return failureAnswer(message.id, found.refusal);
  return answerRequest({ message, revision, session: found.session, exchange }, context);
}

const NO_SESSION = { ok: true, session: null } as const;

function accepted(): Response {
  return new Response(null, { status: 202 });
}

async function answerRequest(request: AgentRequest, context: PostContext): Promise<McpAnswer> {
  const { message, revision, exchange } = request;
  const { id, method, params = {} } = message;
  const refusal = await refusalOf(
    method,
    params,
    exchange,
    exchange.caller.scope === FULL_SCOPE && exchange.caller.tools === null ? undefined : calledTool(exchange, context),
  );
  if (refusal !== null) return failureAnswer(id, refusal);
  if (method === 'initialize' && revision === null && !isInitializeRequest(message)) {
    const reason = 'Invalid params: initialize takes protocolVersion, capabilities and clientInfo, with name and version.';
    return failureAnswer(id, { code: RPC.invalidParams, message: reason });
  }
  if (method === 'subscriptions/listen' && revision !== null) {
    await context.changes.begin();
    return context.notifications.listen(message, exchange);
  }
  return serveRequest(request, context);
}

/** In a toolset or in search mode a tool may have another name, or be an argument of the call; apps use other names. */
function calledTool({ caller }: McpExchange, { catalogues }: PostContext): (params: Params) => string | null {
  return ({ name, arguments: args }) => {
    const catalogue = catalogues.current(caller);
    const { search } = catalogue;
    if (search !== null && name !== CALL_TOOL) return null;
    const asked = search === null ? name : readCall(args)?.name;
    return typeof asked === 'string' ? (findTool(catalogue, asked)?.real ?? asked) : null;
  };
}

/** One array in the order of the requests; a stream as soon as one of them has progress or log messages. */
async function answerBatch(exchange: McpExchange, messages: readonly unknown[], context: PostContext): Promise<McpAnswer> {
  if (exchange.header(HEADERS.protocolVersion)?.trim() === MODERN_VERSION) return failureAnswer(null, onlyInBatchVersion);
  const found = findSession(context.sessions, exchange, false);
  if (!found.ok) return failureAnswer(null, found.refusal);
  const { session } = found;
  const refusal = checkBatch(messages, session?.version ?? exchange.header(HEADERS.protocolVersion));
  if (refusal !== null) return failureAnswer(null, refusal);
  const inbound = readInbound(messages, exchange);
  if (inbound.kind === 'refused') return failureAnswer(inbound.id, inbound.refusal);

  for (const message of messages) if (isJSONRPCNotification(message)) await handleNotification(message, session, exchange, context);
  for (const message of messages) if (isJSONRPCResponse(message) && session !== null) answerQuestion(context, session, message);
  const requests = messages.filter((message) => isJSONRPCRequest(message));
  if (requests.length === 0) return accepted();
  const answer = async (message: JSONRPCRequest): Promise<McpAnswer> =>
    message.method === 'initialize'
      ? failureAnswer(message.id, { code: RPC.invalidRequest, message: 'Send initialize alone, not in an array.' })
      : await answerRequest({ message, revision: null, session, exchange }, context);
  const answers = requests.map(answer);
  const { promise: streamed, resolve } = Promise.withResolvers<null>();
  for (const one of answers) one.then((given) => hasEvents(given) && resolve(null)).catch(() => undefined);
  const whole = await Promise.race([Promise.all(answers), streamed]);
  if (whole === null || whole.some(hasEvents)) return mergeAnswers(answers);
  // Cancelled requests have no response.
  const texts = whole.flatMap((one) => (one instanceof Response ? [] : [jsonText(one)]));
  if (texts.length === 0) return endedStream();
  return { status: 200, json: `[${texts.join(',')}]` };
}

function hasEvents(answer: McpAnswer): boolean {
  return answer instanceof Response && answer.body !== null;
}

/** The SDK writes each event in one piece, so events of several requests may interleave. */
function mergeAnswers(answers: readonly Promise<McpAnswer>[]): Response {
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      const take = async (answer: Promise<McpAnswer>): Promise<void> => {
        const one = await answer;
        const stream: ReadableStream<Uint8Array> | null = one instanceof Response ? one.body : null;
        for await (const event of stream ?? []) controller.enqueue(event);
        if (!(one instanceof Response)) controller.enqueue(Buffer.from(`event: message\ndata: ${jsonText(one)}\n\n`));
      };
      await Promise.all(answers.map(take));
      controller.close();
    },
  });
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
}

const onlyInBatchVersion: Refusal = {
  status: 400,
  code: RPC.invalidRequest,
  message: `Several messages in one array are accepted with protocol version ${BATCH_VERSION} only. Send them one by one.`,
};

function checkBatch(messages: readonly unknown[], version: string | undefined): Refusal | null {
  const invalid = (message: string): Refusal => ({ status: 400, code: RPC.invalidRequest, message });
  if (version !== BATCH_VERSION) return onlyInBatchVersion;
  if (messages.length === 0 || messages.length > MOST)
    return invalid(`An array holds 1 to ${MOST} messages; this one has ${messages.length}.`);
  return null;
}

function answerQuestion({ sessions }: MethodsContext, session: Session, response: JSONRPCResponse): void {
  const reply: AskReply =
    'result' in response
      ? { ok: true, result: response.result }
      : { ok: false, error: { code: response.error.code, message: response.error.message } };
  const to = String(response.id);
  if (!acceptAnswer(session, to, reply)) sessions.passOn(session, { do: 'answer', to, reply });
}

/** Notifications of the 2025 protocols that Switchboard handles. */
async function handleNotification(
  { method, params }: JSONRPCNotification,
  session: Session | null,
  headers: McpHeaders,
  { host, sessions }: MethodsContext,
): Promise<void> {
  if (session === null) return;
  if (method === 'notifications/roots/list_changed') {
    reportRoots(host.servers, sessions, session);
    sessions.passOn(session, { do: 'roots' });
  }
  if (method !== 'notifications/cancelled') return;
  // Cancels only calls of the same session, so a token for some tools may cancel its own calls.
  if (headers.caller.tools === null && !(await headers.authorize('calls.cancel', null)).ok) return;
  const id = params?.['requestId'];
  if (typeof id !== 'string' && typeof id !== 'number') return;
  const call = session.calls.get(id);
  if (call === undefined) sessions.passOn(session, { do: 'cancel', request: id });
  else call.cancel();
}

/** Notifies only of changed lists: most events change no tool. Changes within one turn are combined. */
interface ChangeNotifications {
  /** A new subscriber: the current list is the baseline for the next change. */
  begin(): Promise<void>;
  notifySoon(): void;
}

interface Shown {
  readonly tools: Buffer;
  readonly toolsets: string;
  readonly resources: string;
  readonly prompts: string;
}

function createChangeNotifications(host: Host, catalogues: Catalogues, notifications: Notifications): ChangeNotifications {
  let before: Shown | null = null;
  let isPlanned = false;

  const shown = async (): Promise<Shown> => ({
    tools: catalogues.all().modernTools.json,
    toolsets: JSON.stringify(host.toolsets.list()),
    resources: JSON.stringify([
      (await listResources(host)).map(({ uri }) => uri),
      proxiedFeatures(host).resources,
      proxiedFeatures(host).templates,
    ]),
    prompts: JSON.stringify([await listPrompts(host), proxiedFeatures(host).prompts]),
  });

  return {
    async begin() {
      before ??= await shown();
    },
    notifySoon() {
      if (isPlanned || before === null) return;
      isPlanned = true;
      setImmediate(
        () => void notifyChanges().catch((error: unknown) => host.logger.warn('could not notify agents of a changed list', { error })),
      );
    },
  };

  async function notifyChanges(): Promise<void> {
    isPlanned = false;
    const previous = before;
    before = notifications.hasListeners() ? await shown() : null;
    if (previous === null || before === null) return;
    if (!previous.tools.equals(before.tools) || previous.toolsets !== before.toolsets) notifications.listChanged('tools');
    if (previous.prompts !== before.prompts) notifications.listChanged('prompts');
    if (previous.resources !== before.resources) notifications.listChanged('resources');
  }
}

/** Kind and protocol generation of a message. */
type Inbound =
  /** `revision` is null for the 2025 protocols. */
  | { readonly kind: 'request'; readonly message: JSONRPCRequest; readonly revision: typeof MODERN_VERSION | null }
  | { readonly kind: 'notification'; readonly message: JSONRPCNotification; readonly isModern: boolean }
  /** To a request of a server behind this one; null for an array of messages. */
  | { readonly kind: 'response'; readonly message: JSONRPCResponse | null }
  | Refused;

interface Refused {
  readonly kind: 'refused';
  readonly id: RequestId | null;
  readonly refusal: Refusal;
}

/** Value of the params that proxies find in the header `mcp-name`. */
const NAMED_BY: Readonly<Record<string, string>> = { 'tools/call': 'name', 'prompts/get': 'name', 'resources/read': 'uri' };

function readInbound(body: unknown, headers: McpHeaders): Inbound {
  const outcome = classifyInboundRequest({
    httpMethod: 'POST',
    body,
    ...headerOf(headers, HEADERS.protocolVersion, 'protocolVersionHeader'),
    ...headerOf(headers, HEADERS.method, 'mcpMethodHeader'),
    ...headerOf(headers, HEADERS.name, 'mcpNameHeader'),
  });
  if (outcome.kind === 'reject') {
    const { httpStatus: status, code, message, data } = outcome;
    return { kind: 'refused', id: readId(body), refusal: { status, code, message, data } };
  }
  if (outcome.kind === 'legacy') {
    if (isJSONRPCRequest(body)) return { kind: 'request', message: body, revision: null };
    if (isJSONRPCNotification(body)) return { kind: 'notification', message: body, isModern: false };
    return { kind: 'response', message: isJSONRPCResponse(body) ? body : null };
  }
  if (outcome.messageKind === 'notification') return { kind: 'notification', message: outcome.message, isModern: true };
  const { message } = outcome;
  const { revision = 'unknown' } = outcome.classification;
  if (revision !== MODERN_VERSION) {
    const { code, message: reason, data } = new UnsupportedProtocolVersionError({ supported: [MODERN_VERSION], requested: revision });
    return { kind: 'refused', id: message.id, refusal: { status: 400, code, message: reason, data } };
  }
  return modernRequest(message, headers);
}

/** Required headers; the SDK only checks those that are present, and not the one with the name. */
function modernRequest(message: JSONRPCRequest, headers: McpHeaders): Inbound {
  const { id, method, params } = message;
  const missing =
    headers.header(HEADERS.protocolVersion) === undefined
      ? mismatch(HEADERS.protocolVersion, null, MODERN_VERSION)
      : headers.header(HEADERS.method) === undefined
        ? mismatch(HEADERS.method, null, method)
        : checkName(method, params, headers);
  return missing === null ? { kind: 'request', message, revision: MODERN_VERSION } : { kind: 'refused', id, refusal: missing };
}

function checkName(method: string, params: Params | undefined, headers: McpHeaders): Refusal | null {
  const field = Object.hasOwn(NAMED_BY, method) ? NAMED_BY[method] : undefined;
  const expected = field === undefined ? undefined : params?.[field];
  if (typeof expected !== 'string') return null;
  const given = headers.header(HEADERS.name);
  if (given === undefined) return mismatch(HEADERS.name, null, expected);
  return decodeHeaderValue(given) === expected ? null : mismatch(HEADERS.name, given, expected);
}

/** The id for a response. */
function readId(body: unknown): RequestId | null {
  const id = isObject(body) ? body['id'] : undefined;
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}

function headerOf<Key extends string>(headers: McpHeaders, name: string, key: Key): { readonly [key in Key]?: string } {
  const value = headers.header(name);
  const given: { [key in Key]?: string } = {};
  if (value !== undefined) given[key] = value;
  return given;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
