import { isInitializeRequest, isJSONRPCNotification, isJSONRPCRequest, isJSONRPCResponse } from '@modelcontextprotocol/server';
import type { JSONRPCNotification, JSONRPCRequest, JSONRPCResponse } from '@modelcontextprotocol/server';
import { WHOLE_SCOPE } from '#lib/contract/mcp-exchange.ts';
import type { AskReply } from '#lib/contract/client-asks.ts';
import type { McpAnswer, McpExchange, McpHeaders } from '#lib/contract/mcp-exchange.ts';
import { serveRequest } from './agent-server.ts';
import type { AgentRequest } from './agent-server.ts';
import { endedStream } from './answer-transport.ts';
import type { MethodsContext } from './asking.ts';
import { reportRoots, takeAnswer } from './caller-answers.ts';
import { classify, readInbound } from './inbound.ts';
import { failureAnswer } from './json-rpc.ts';
import type { Params, Refusal } from './json-rpc.ts';
import { CALL_TOOL, readCall } from './search-tools.ts';
import { refusalOf } from './method-actions.ts';
import { createNotices } from './notices.ts';
import type { Notices } from './notices.ts';
import { BATCH_VERSION, HEADERS, RPC } from './protocol.ts';
import { findSession } from './find-session.ts';
import type { Session } from './sessions.ts';
import type { Host } from '#lib/host/host.ts';
import { passedOn, subscribePassedOn } from './passed-on.ts';
import { listPrompts } from './prompts.ts';
import { listResources } from './resources.ts';
import { findTool } from './tool-catalogue.ts';
import type { Catalogues } from './tool-catalogue.ts';

/**
 * `POST`: one message, or in one protocol version an array. Each request is served separately, once its generation, session and
 * permission are known. This module imports everything that needs the SDK, so it is loaded lazily.
 */
interface PostsContext extends MethodsContext {
  readonly notices: Notices;
  readonly changes: ChangeNotices;
}

export interface Posts {
  readonly notices: Notices;
  readonly changes: ChangeNotices;
  answer(exchange: McpExchange, body: unknown): Promise<McpAnswer>;
}

export function createPosts(methods: MethodsContext): Posts {
  const { host, server, sessions, catalogues } = methods;
  const notices = createNotices({
    sessions,
    server,
    toolsOf: (caller) => catalogues.current(caller).modernTools.json,
    subscribe: (uri, caller) => subscribePassedOn(host, uri, caller, true),
  });
  const changes = createChangeNotices(host, catalogues, notices);
  const context: PostsContext = { ...methods, notices, changes };
  return { notices, changes, answer: (exchange, body) => answerPost(exchange, body, context) };
}

const MOST = 100;

async function answerPost(exchange: McpExchange, body: unknown, context: PostsContext): Promise<McpAnswer> {
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
    await takeNotification(inbound.message, found.session, exchange, context);
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

async function answerRequest(request: AgentRequest, context: PostsContext): Promise<McpAnswer> {
  const { message, revision, exchange } = request;
  const { id, method, params = {} } = message;
  const refusal = await refusalOf(
    method,
    params,
    exchange,
    exchange.caller.scope === WHOLE_SCOPE && exchange.caller.tools === null ? undefined : calledTool(exchange, context),
  );
  if (refusal !== null) return failureAnswer(id, refusal);
  if (method === 'initialize' && revision === null && !isInitializeRequest(message)) {
    const reason = 'Invalid params: initialize takes protocolVersion, capabilities and clientInfo, with name and version.';
    return failureAnswer(id, { code: RPC.invalidParams, message: reason });
  }
  if (method === 'subscriptions/listen' && revision !== null) {
    await context.changes.begin();
    return context.notices.listen(message, exchange);
  }
  return serveRequest(request, context);
}

/** At the address of a toolset or in search mode a tool may have another name, or be the argument of a call; apps know other names. */
function calledTool({ caller }: McpExchange, { catalogues }: PostsContext): (params: Params) => string | null {
  return ({ name, arguments: args }) => {
    const catalogue = catalogues.current(caller);
    const { search } = catalogue;
    if (search !== null && name !== CALL_TOOL) return null;
    const asked = search === null ? name : readCall(args)?.name;
    return typeof asked === 'string' ? (findTool(catalogue, asked)?.real ?? asked) : null;
  };
}

/** One array in the order of the requests; a stream as soon as one of them has progress or log messages. */
async function answerBatch(exchange: McpExchange, messages: readonly unknown[], context: PostsContext): Promise<McpAnswer> {
  const found = findSession(context.sessions, exchange, false);
  if (!found.ok) return failureAnswer(null, found.refusal);
  const { session } = found;
  const refusal = checkBatch(messages, session?.version ?? exchange.header(HEADERS.protocolVersion));
  if (refusal !== null) return failureAnswer(null, refusal);
  const inbound = classify(messages, exchange);
  if (inbound.kind === 'refused') return failureAnswer(inbound.id, inbound.refusal);

  for (const message of messages) if (isJSONRPCNotification(message)) await takeNotification(message, session, exchange, context);
  for (const message of messages) if (isJSONRPCResponse(message) && session !== null) answerQuestion(context, session, message);
  const requests = messages.filter((message) => isJSONRPCRequest(message));
  if (requests.length === 0) return accepted();
  const answer = async (message: JSONRPCRequest): Promise<McpAnswer> =>
    message.method === 'initialize'
      ? failureAnswer(message.id, { code: RPC.invalidRequest, message: 'initialize comes alone, never in an array.' })
      : await answerRequest({ message, revision: null, session, exchange }, context);
  const answers = requests.map(answer);
  const { promise: streamed, resolve } = Promise.withResolvers<null>();
  for (const one of answers) one.then((given) => hasEvents(given) && resolve(null)).catch(() => undefined);
  const whole = await Promise.race([Promise.all(answers), streamed]);
  if (whole === null || whole.some(hasEvents)) return mergeAnswers(answers);
  // Cancelled requests have no response.
  const texts = whole.flatMap((one) => (one instanceof Response ? [] : [one.json]));
  if (texts.length === 0) return endedStream();
  return { status: 200, json: ['[', ...texts.flatMap((text, at) => (at === 0 ? text : [',', ...text])), ']'] };
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
        if (!(one instanceof Response))
          controller.enqueue(Buffer.concat(['event: message\ndata: ', ...one.json, '\n\n'].map((part) => Buffer.from(part))));
      };
      await Promise.all(answers.map(take));
      controller.close();
    },
  });
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
}

function checkBatch(messages: readonly unknown[], version: string | undefined): Refusal | null {
  const invalid = (message: string): Refusal => ({ status: 400, code: RPC.invalidRequest, message });
  if (version !== BATCH_VERSION)
    return invalid(`Several messages in one array are accepted with protocol version ${BATCH_VERSION} only. Send them one by one.`);
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
  if (!takeAnswer(session, to, reply)) sessions.passOn(session, { do: 'answer', to, reply });
}

/** Those of the 2025 protocols with an effect here. */
async function takeNotification(
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
interface ChangeNotices {
  /** A new subscriber: the current list is the baseline for the next change. */
  begin(): Promise<void>;
  tellSoon(): void;
}

interface Shown {
  readonly tools: Uint8Array;
  readonly toolsets: string;
  readonly resources: string;
  readonly prompts: string;
}

function createChangeNotices(host: Host, catalogues: Catalogues, notices: Notices): ChangeNotices {
  let before: Shown | null = null;
  let isPlanned = false;

  const shown = async (): Promise<Shown> => ({
    tools: catalogues.whole().modernTools.json,
    toolsets: JSON.stringify(host.toolsets.list()),
    resources: JSON.stringify([(await listResources(host)).map(({ uri }) => uri), passedOn(host).resources, passedOn(host).templates]),
    prompts: JSON.stringify([await listPrompts(host), passedOn(host).prompts]),
  });

  return {
    async begin() {
      before ??= await shown();
    },
    tellSoon() {
      if (isPlanned || before === null) return;
      isPlanned = true;
      setImmediate(() => void tell().catch((error: unknown) => host.logger.warn('could not notify agents of a changed list', { error })));
    },
  };

  async function tell(): Promise<void> {
    isPlanned = false;
    const told = before;
    before = notices.hasListeners() ? await shown() : null;
    if (told === null || before === null) return;
    if (Buffer.compare(told.tools, before.tools) !== 0 || told.toolsets !== before.toolsets) notices.listChanged('tools');
    if (told.prompts !== before.prompts) notices.listChanged('prompts');
    if (told.resources !== before.resources) notices.listChanged('resources');
  }
}
