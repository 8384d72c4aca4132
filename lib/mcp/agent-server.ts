import {
  type JSONRPCRequest,
  type Notification,
  ProtocolError,
  type Result,
  Server,
  type ServerCapabilities,
  type ServerContext,
  type ServerOptions,
} from '@modelcontextprotocol/server';
import * as z from 'zod';
import { type Answerer, askKindsOf } from '#lib/contract/client-asks.ts';
import { FULL_SCOPE, type McpAnswer, type McpCaller, type McpExchange } from '#lib/contract/mcp-exchange.ts';
import { type CallError, callRequestSchema, type CallWatcher, type LogLevel } from '#lib/contract/call.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import type { Host } from '#lib/host/host.ts';
import { parseExactJson } from '#lib/contract/exact-json.ts';
import type { ScopedTool } from '#lib/contract/toolset.ts';
import { AnswerTransport } from './answer-transport.ts';
import {
  askKindsIn,
  clientName,
  clientOf,
  HEADERS,
  invalidParams,
  LEGACY_VERSIONS,
  LOG_LEVELS,
  type McpLogLevel,
  META,
  type Method,
  type MethodsContext,
  MODERN_VERSION,
  type Outcome,
  type Params,
  proxiedMeta,
  type RequestContext,
  RPC,
  type RpcFailure,
} from './protocol.ts';
import type { McpMethod } from './method-actions.ts';
import { complete, getProxiedPrompt, mayUseServers, proxiedFeaturesFor, subscribeProxied } from './proxied-features.ts';
import type { Session } from './sessions.ts';
import { getPrompt, listPrompts } from './prompts.ts';
import { isOwnUri, listResources, readResource, readUri, RESOURCE_TEMPLATES, unknownResource } from './resources.ts';
import { cancelTask, getTask, listTasks, newTask, resultOfTask } from './tasks.ts';
import { answererOfSession, noteElicitation, resumeCall } from './caller-answers.ts';
import { callResult } from './call-result.ts';
import { checkHeaderParameters } from './header-parameters.ts';
import { CALL_TOOL, DESCRIBE_TOOL, failed, findTool, readCall, SEARCH_TOOL, type ToolSearch, unknownTool } from './tool-catalogue.ts';

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
  if (method === 'tools/call') return CALLING;
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

/**
 * `tools/call`, the hot path: one lookup in the catalogue, one call of the host. What can go wrong:
 * - the client cancels or disconnects between its request and the first record of the call: the signal is checked again once
 *   the call can be cancelled;
 * - progress arrives faster than the client reads: the response stream drops progress, never the result.
 */
const paramsSchema = z.object({
  name: z.string(),
  arguments: z.record(z.string(), z.unknown()).optional(),
  /** To run it as a task (2025-11-25). */
  task: z.looseObject({}).optional(),
});

const LEVELS: Readonly<Record<LogLevel, McpLogLevel>> = { debug: 'debug', info: 'info', warn: 'warning', error: 'error' };
/** With a reason, `abort` creates no error with a stack. */
const ENDED = 'The call has ended';
/** An object, which the SDK serializes. */
const NO_TEXT = '';

export async function callTool(params: Params, requestContext: RequestContext): Promise<Outcome> {
  const { context, exchange, session, isModern, ctx, send } = requestContext;
  const { host, authoring, catalogues } = context;
  const { signal, _meta } = ctx.mcpReq;
  const asked = paramsSchema.safeParse(params);
  if (!asked.success) return { ok: false, failure: invalidParams(asked.error, 'tools/call takes a name and, as an object, arguments.') };
  const catalogue = catalogues.current(exchange.caller);
  const { scope } = exchange.caller;
  if (catalogue.search !== null && asked.data.name !== CALL_TOOL) return answerSearch(catalogue.search, asked.data);
  const inner = catalogue.search === null ? null : readCall(asked.data.arguments);
  if (catalogue.search !== null && inner === null)
    return { ok: true, result: failed('call_tool takes `name`, a tool, and `arguments`, an object.') };
  const { name, arguments: args = {} } = inner ?? asked.data;
  const client = clientOf(requestContext);
  if (scope === FULL_SCOPE && authoring?.has(name))
    return { ok: true, result: await authoring.call(name, args, { headers: exchange, clientName: client.name }) };
  const tool = findTool(catalogue, name);
  if (tool === undefined) {
    if (inner !== null) return { ok: true, result: failed(unknownTool(name)) };
    const message = `Unknown tool: ${name.slice(0, 100)}. tools/list lists the existing ones.`;
    return { ok: false, failure: { code: RPC.invalidParams, message } };
  }
  const given = tool.scoped === null ? null : refusedArgument(tool.scoped, args);
  if (given !== null) return { ok: true, result: failed(given) };
  if (isModern && inner === null) {
    const disagreement = checkHeaderParameters(tool.headerParameters, args, exchange);
    if (disagreement !== null) return { ok: false, failure: disagreement };
  }

  const timeout = readTimeout(_meta?.[META.timeoutMs] ?? exchange.header(HEADERS.timeoutMs));
  if (!timeout.ok) return { ok: false, failure: { code: RPC.invalidParams, message: timeout.message } };
  const { key } = exchange.caller;
  const { real } = tool;
  const resumed = resumeCall(requestContext, real);
  if (resumed !== null) return resumed;

  const isTask = asked.data.task !== undefined && !isModern;
  if (isTask && !tool.isTask) return { ok: false, failure: { code: RPC.methodNotFound, message: `${name} does not run as a task.` } };
  const over = new AbortController();
  const kinds = isModern ? askKindsIn(ctx) : [];
  const open = kinds.length === 0 ? null : context.openCalls.open(kinds, real, key, over.signal);
  const askers = { servers: tool.server === null ? [] : [tool.server], member: exchange.caller.member };
  const task = isTask ? context.tasks.open(session, askers, over.signal) : null;
  const answerer =
    task?.answerer ?? open?.answerer ?? (session === null || isTask ? null : answererOfSession(session, askers, send, over.signal));
  let result: Result = {};
  const refused: { failure: RpcFailure | null } = { failure: null };
  const { traceparent, tracestate } = _meta ?? {};
  const started = await host.calls.start({
    tool: real,
    arguments: tool.scoped === null ? args : { ...args, ...tool.scoped.fixed },
    timeoutMs: timeout.ms,
    source: 'mcp',
    actor: { name: exchange.caller.actor ?? client.name, member: exchange.caller.member },
    watcher: createWatcher(ctx, client.logLevel, exchange, answerer),
    formatEnd({ resultText, ...end }) {
      refused.failure = tool.server === null || session === null ? null : elicitationNeeded(session, end.error);
      result = callResult({ ...end, result: resultText === null ? null : parseExactJson(resultText) }, tool, isModern);
      return NO_TEXT;
    },
    meta: tool.server === null ? undefined : proxiedMeta(ctx)._meta,
    traceparent: typeof traceparent === 'string' ? traceparent : undefined,
    tracestate: typeof tracestate === 'string' ? tracestate : undefined,
  });
  if (!started.ok) {
    const { code, detail, retryAfter } = started.problem;
    return {
      ok: false,
      failure: {
        code: code === 'tool_not_found' ? RPC.invalidParams : RPC.refused,
        message: detail,
        data: { code, ...(retryAfter === undefined ? {} : { retry_after: retryAfter }) },
      },
    };
  }
  const { id, finished } = started.value;
  if (isTask) {
    task?.started(id);
    void finished.finally(() => over.abort(ENDED)).catch(() => undefined);
    return { ok: true, result: newTask(id) };
  }
  // It may have been cancelled while its record was written.
  if (signal.aborted) stop(host, id);
  else signal.addEventListener('abort', () => stop(host, id), { once: true });
  const ended = async (): Promise<Outcome> => {
    await finished;
    over.abort(ENDED);
    return refused.failure === null ? { ok: true, result } : { ok: false, failure: refused.failure };
  };
  return open === null ? ended() : open.round(ended(), () => stop(host, id));
}

const elicitationsSchema = z.object({ elicitations: z.array(z.looseObject({ mode: z.literal('url'), elicitationId: z.string() })).min(1) });

/** A server requires its client to open a URL before the call: an error of the 2025 protocols, for clients that support it. */
function elicitationNeeded(session: Session, error: CallError | null): RpcFailure | null {
  const data = session.kinds.includes('url') ? elicitationsSchema.safeParse(error?.data).data : undefined;
  if (data === undefined || error === null) return null;
  for (const { elicitationId } of data.elicitations) noteElicitation(session, elicitationId);
  return { code: RPC.urlElicitationRequired, message: error.message, data };
}

function answerSearch(search: ToolSearch, { name, arguments: args }: { readonly name: string; readonly arguments?: unknown }): Outcome {
  if (name === SEARCH_TOOL || name === DESCRIBE_TOOL) return { ok: true, result: search.answer(name, args ?? {}) };
  const message = `Unknown tool: ${name.slice(0, 100)}. In search mode there are ${SEARCH_TOOL}, ${DESCRIBE_TOOL} and ${CALL_TOOL}.`;
  return { ok: false, failure: { code: RPC.invalidParams, message } };
}

/** An argument that the toolset hides or fixes; null without one. */
function refusedArgument({ removed, shown }: ScopedTool, args: Readonly<Record<string, unknown>>): string | null {
  const name = Object.keys(args).find((one) => removed.has(one));
  return name === undefined ? null : `${shown.name} has no argument “${name.slice(0, 100)}” here. Leave it out.`;
}

/** Per call by `_meta`, per client by header. */
function readTimeout(
  value: unknown,
): { readonly ok: true; readonly ms: number | undefined } | { readonly ok: false; readonly message: string } {
  if (value === undefined) return { ok: true, ms: undefined };
  const parsed = callRequestSchema.shape.timeout_ms.safeParse(
    typeof value === 'string' && /^\d+$/.test(value.trim()) ? Number(value) : value,
  );
  if (parsed.success) return { ok: true, ms: parsed.data };
  const most = LIMITS.callTimeoutMostMs;
  return {
    ok: false,
    message: `${META.timeoutMs} in _meta, or the header ${HEADERS.timeoutMs}, must be a whole number of milliseconds from 1 to ${most}.`,
  };
}

function stop(host: Host, callId: string): void {
  host.calls.cancel(callId).catch((error: unknown) => host.logger.error('A call could not be cancelled', { call_id: callId, error }));
}

function createWatcher(
  { mcpReq }: ServerContext,
  least: McpLogLevel | null,
  exchange: McpExchange,
  answerer: Answerer | null,
): CallWatcher | undefined {
  const token = mcpReq._meta?.progressToken;
  if (least === null && token === undefined && answerer === null) return undefined;
  const threshold = least === null ? Number.POSITIVE_INFINITY : LOG_LEVELS.indexOf(least);
  let last = Number.NEGATIVE_INFINITY;
  // A disconnected client gets no further notifications.
  const notify = (notification: Notification): void => {
    if (!exchange.isBehind()) mcpReq.notify(notification).catch(() => undefined);
  };
  return {
    ...(answerer === null ? {} : { answerer }),
    onLog({ level, message, data, said }) {
      const params = said ?? { level: LEVELS[level], logger: 'tool', data: data === null ? message : { message, data } };
      if (LOG_LEVELS.indexOf(params.level) < threshold) return;
      notify({ method: 'notifications/message', params });
    },
    onProgress({ done, total, message }) {
      // The protocol requires increasing progress.
      if (token === undefined || done <= last) return;
      last = done;
      const params = {
        progressToken: token,
        progress: done,
        ...(total === null ? {} : { total }),
        ...(message === null ? {} : { message }),
      };
      notify({ method: 'notifications/progress', params });
    },
  };
}
