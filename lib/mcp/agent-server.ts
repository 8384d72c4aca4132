import { ProtocolError, Server } from '@modelcontextprotocol/server';
import type { JSONRPCRequest, Result, ServerCapabilities, ServerContext, ServerOptions } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { askKindsOf } from '#lib/contract/client-asks.ts';
import type { McpAnswer, McpCaller, McpExchange } from '#lib/contract/mcp-exchange.ts';
import { AnswerTransport } from './answer-transport.ts';
import { clientName } from './request-context.ts';
import type { RequestContext, MethodsContext, Outcome, Method } from './request-context.ts';
import type { RpcFailure, Params } from './protocol.ts';
import { HEADERS, LEGACY_VERSIONS, META, MODERN_VERSION, RPC, invalidParams, LOG_LEVELS } from './protocol.ts';
import type { McpMethod } from './method-actions.ts';
import { mayUseServers, complete, getProxiedPrompt, proxiedFeaturesFor, subscribeProxied } from './proxied-features.ts';
import type { Session } from './sessions.ts';
import { callTool } from './call-tool.ts';
import { getPrompt, listPrompts } from './prompts.ts';
import { isOwnUri, listResources, readResource, readUri, RESOURCE_TEMPLATES, unknownResource } from './resources.ts';
import { cancelTask, getTask, listTasks, resultOfTask } from './tasks.ts';

/**
 * A server of the official SDK per request. The SDK knows the methods of each protocol version, answers those of the protocol
 * itself (initialize, ping, server/discover), cancels, and formats results and errors. What can go wrong:
 * - the SDK parses params and results of handlers for specified methods: invalid params become an internal error, content of a
 *   later version fails, and a large result is copied. So ours is the fallback handler: each method parses its own params, and
 *   results pass unchanged;
 * - the SDK sends errors of a handler with status 200, and -32002 as -32602: the transport gets the intended ones.
 */
export interface AgentRequest {
  readonly message: JSONRPCRequest;
  /** Null for the 2025 protocols. */
  readonly revision: typeof MODERN_VERSION | null;
  /** Null for clients without a session, which is allowed, and in the stateless protocol. */
  readonly session: Session | null;
  readonly exchange: McpExchange;
}

export async function serveRequest(request: AgentRequest, context: MethodsContext): Promise<McpAnswer> {
  const { message, revision, session, exchange } = request;
  const { id, method } = message;
  const server = new Server(context.server, optionsFor(request, context));
  const transport = new AnswerTransport(revision !== null);
  const running = CANCELLABLE.has(method) ? session?.calls : undefined;
  // Inlined into the assignment, V8 would retain the closure and with it the request (docs/performance.md).
  const answer: Handler = async ({ params = {} }, ctx) => {
    const send = (ask: JSONRPCRequest): void => void transport.send(ask, { relatedRequestId: id });
    const outcome = await outcomeOf(method, params, request, context, { ctx, send });
    running?.delete(id);
    if (outcome.ok) return outcome.result;
    transport.failure = outcome.failure;
    throw new ProtocolError(outcome.failure.code, outcome.failure.message, outcome.failure.data);
  };
  server.fallbackRequestHandler = answer;
  await server.connect(transport);
  const cancel = (): void => void transport.close();
  running?.set(id, { cancel });
  // A client of the stateless protocol cancels by closing its connection; one with a session may reconnect.
  if (revision !== null) exchange.onClose(cancel);
  const answered = await transport.answer(message);
  server.fallbackRequestHandler = answered instanceof Response ? answer : NONE;
  if (method !== 'initialize' || answered instanceof Response) return answered;
  return { ...answered, headers: { [HEADERS.session]: openSession(server, exchange, context) } };
}

/** Requests that a client of a session may cancel: they run in extensions. */
const CANCELLABLE: ReadonlySet<string> = new Set<McpMethod>([
  'tools/call',
  'tasks/result',
  'resources/read',
  'prompts/get',
  'completion/complete',
]);

/** Releases the references of a finished server to its request (docs/performance.md). */
const NONE: Handler = () => Promise.resolve({});

type Handler = (request: JSONRPCRequest, ctx: ServerContext) => Promise<Result>;

async function outcomeOf(
  method: string,
  params: NonNullable<JSONRPCRequest['params']>,
  { exchange, session, revision }: AgentRequest,
  context: MethodsContext,
  more: Pick<RequestContext, 'ctx' | 'send'>,
): Promise<Outcome> {
  try {
    const isModern = revision !== null;
    return (await METHODS.get(method)?.(params, { context, exchange, session, isModern, ...more })) ?? unknownMethod(method, isModern);
  } catch (error) {
    context.host.logger.error('A request of an agent failed', { method, error });
    return { ok: false, failure: BUG };
  }
}

const BUG: RpcFailure = { status: 500, code: RPC.internalError, message: 'The server failed on this request. Its log has the cause.' };

/** In the stateless protocol an unknown method is also HTTP 404. */
function unknownMethod(method: string, isModern: boolean): Outcome {
  const message = `There is no method "${method.slice(0, 100)}" here.`;
  return { ok: false, failure: { status: isModern ? 404 : 200, code: RPC.methodNotFound, message } };
}

function openSession(server: Server, { caller }: McpExchange, { sessions }: MethodsContext): string {
  const client = clientName(server.getClientVersion()?.name ?? '');
  return sessions.open(
    server.getNegotiatedProtocolVersion() ?? LEGACY_VERSIONS[0],
    client,
    caller.key,
    askKindsOf(server.getClientCapabilities()),
  ).id;
}

const SHARED: ServerOptions = {
  supportedProtocolVersions: [...LEGACY_VERSIONS, MODERN_VERSION],
  // Questions to clients are sent as messages (caller-answers.ts), so the SDK checks no answer; its own would be created per server.
  jsonSchemaValidator: {
    getValidator() {
      throw new Error('The SDK asks clients nothing here, so there is no answer to check');
    },
  },
};
const PLAIN: ServerOptions = { ...SHARED, capabilities: {} };
const CALLING: ServerOptions = { ...SHARED, capabilities: { tools: {}, logging: {} } };

function optionsFor({ message, revision, exchange }: AgentRequest, { catalogues }: MethodsContext): ServerOptions {
  const { method } = message;
  // Without a requested log level, logging is not set up.
  if (method === 'tools/call') return revision !== null && message.params?._meta?.[META.logLevel] === undefined ? PLAIN : CALLING;
  if (method !== 'initialize' && method !== 'server/discover') return PLAIN;
  return { ...describing(exchange.caller, revision === null), instructions: catalogues.current(exchange.caller).instructions };
}

/** Methods that a client lists, calls and handles rejections of: only permitted ones. */
export function describing(caller: McpCaller, hasTasks = false): ServerOptions {
  const { may } = caller;
  const capabilities: ServerCapabilities = {
    tools: { listChanged: true },
    logging: {},
    ...(may('resources.read', null) ? { resources: { listChanged: true, subscribe: true } } : {}),
    ...(may('saved_calls.read', null) ? { prompts: { listChanged: true } } : {}),
    ...(mayUseServers(caller) ? { completions: {} } : {}),
    ...(hasTasks ? { tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } } : {}),
  };
  return { ...SHARED, capabilities };
}

/**
 * The methods of both generations. The SDK knows which generation has which, adds common result fields, and handles methods of
 * the protocol itself; notifications.ts handles `subscriptions/listen`.
 */
const levelSchema = z.looseObject({ level: z.enum(LOG_LEVELS) });
const listSchema = z.looseObject({ cursor: z.string().optional() });

const METHODS: ReadonlyMap<string, Method> = new Map<McpMethod, Method>([
  ['tools/call', callTool],
  [
    'tools/list',
    listed(({ context, exchange, isModern }) => {
      const catalogue = context.catalogues.current(exchange.caller);
      return { tools: (isModern ? catalogue.modernTools : catalogue.legacyTools).list };
    }),
  ],
  [
    'resources/list',
    listed(async ({ context, exchange }) => ({
      resources: [...(await listResources(context.host)), ...proxiedFeaturesFor(context.host, exchange).resources],
    })),
  ],
  [
    'resources/templates/list',
    listed(({ context, exchange }) => ({
      resourceTemplates: [...RESOURCE_TEMPLATES, ...proxiedFeaturesFor(context.host, exchange).templates],
    })),
  ],
  ['tasks/get', getTask],
  ['tasks/result', resultOfTask],
  ['tasks/list', listed(listTasks)],
  ['tasks/cancel', cancelTask],
  ['resources/read', readResource],
  ['resources/subscribe', subscribe],
  ['resources/unsubscribe', unsubscribe],
  [
    'prompts/list',
    listed(async ({ context, exchange }) => {
      const own = await listPrompts(context.host);
      const names = new Set(own.map(({ name }) => name));
      return { prompts: [...own, ...proxiedFeaturesFor(context.host, exchange).prompts.filter(({ name }) => !names.has(name))] };
    }),
  ],
  [
    'prompts/get',
    async (params, requestContext) => {
      const own = await getPrompt(requestContext.context.host, params);
      return own.ok ? own : ((await getProxiedPrompt(params, requestContext)) ?? own);
    },
  ],
  ['completion/complete', complete],
  [
    'logging/setLevel',
    (params, { session, context }) => {
      const asked = levelSchema.safeParse(params);
      if (!asked.success) return { ok: false, failure: invalidParams(asked.error, 'Nothing was changed.') };
      if (session === null) return NO_SESSION;
      session.logLevel = asked.data.level;
      context.sessions.passOn(session, { do: 'level', level: asked.data.level });
      return succeed({});
    },
  ],
]);

function succeed(result: Result): Outcome {
  return { ok: true, result };
}

const MOST_SUBSCRIPTIONS = 1_000;

/** Settings are stored in the session; clients without one send them with each request. */
const NO_SESSION: Outcome = {
  ok: false,
  failure: {
    status: 400,
    code: RPC.invalidRequest,
    message: `This requires a session, and the request names none. Start one with initialize, and send its ${HEADERS.session} with each request.`,
  },
};

async function subscribe(params: Params, { context, exchange, session, isModern }: RequestContext): Promise<Outcome> {
  const asked = readUri(params);
  if (!asked.ok) return asked;
  if (session === null) return NO_SESSION;
  const { uri } = asked;
  const { subscriptions } = session;
  if (subscriptions.has(uri)) return succeed({});
  if (subscriptions.size >= MOST_SUBSCRIPTIONS) {
    const message = `A session can be subscribed to ${MOST_SUBSCRIPTIONS.toLocaleString('en')} resources. End one with resources/unsubscribe first.`;
    return { ok: false, failure: { code: RPC.refused, message } };
  }
  if (isOwnUri(uri)) {
    subscriptions.set(uri, () => undefined);
    return succeed({});
  }
  const passed = await subscribeProxied(context.host, uri, exchange.caller, isModern);
  if (passed === null) return { ok: false, failure: unknownResource(uri, isModern) };
  if (!passed.ok) return passed;
  // It may have been subscribed to twice meanwhile.
  if (subscriptions.has(uri)) passed.release();
  else subscriptions.set(uri, passed.release);
  return succeed({});
}

function unsubscribe(params: Params, { session, context }: RequestContext): Outcome {
  const asked = readUri(params);
  if (!asked.ok) return asked;
  if (session === null) return NO_SESSION;
  session.subscriptions.get(asked.uri)?.();
  if (!session.subscriptions.delete(asked.uri)) context.sessions.passOn(session, { do: 'unsubscribe', uri: asked.uri });
  return succeed({});
}

/** Lists have a single page. */
function listed(list: (requestContext: RequestContext) => Result | Promise<Result>): Method {
  return async (params, requestContext) => {
    const read = listSchema.safeParse(params);
    if (!read.success) return { ok: false, failure: invalidParams(read.error, 'A list accepts only a cursor.') };
    if (read.data.cursor === undefined) return succeed(await list(requestContext));
    const message = 'Unknown cursor. Lists have one page: request without a cursor.';
    return { ok: false, failure: { code: RPC.invalidParams, message } };
  };
}
