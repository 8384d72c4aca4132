import { isJSONRPCRequest, ProtocolError, Server } from '@modelcontextprotocol/server';
import type {
  JSONRPCRequest,
  MessageExtraInfo,
  Result,
  ServerCapabilities,
  ServerContext,
  ServerOptions,
} from '@modelcontextprotocol/server';
import type { McpCaller, McpHeaders, McpReply } from '#lib/contract/mcp-exchange.ts';
import type { MethodsContext, Outcome } from './asking.ts';
import { clientName } from './client-name.ts';
import { ExchangeTransport } from './exchange-transport.ts';
import type { RequestId } from './json-rpc.ts';
import { METHODS } from './methods.ts';
import { HEADERS, LEGACY_VERSIONS, META, MODERN_VERSION, RPC } from './protocol.ts';
import type { Session } from './sessions.ts';

/**
 * A server object of the official package for each request: its core tells the generations apart by the revision that it is
 * bound to, knows which methods each has, answers those that are about the protocol itself (initialize, ping, server/discover),
 * cancels, and puts results and failures into the form of the generation. What can go wrong:
 * - it is the hot path: one handler is set, for all methods, and capabilities are made for those alone who are told them;
 * - a handler that is set for a method of the specification has params and result parsed by the schemas of the package: params
 *   that do not fit become an internal error, content of a later version of the protocol a failure, and a large result is
 *   copied. So ours is the one for whatever has no handler, each method reads its own params, and results pass as they are.
 */
export interface AgentRequest {
  readonly message: JSONRPCRequest;
  /** Null for the 2025 protocols. */
  readonly revision: typeof MODERN_VERSION | null;
  /** Null for a client that goes without, as it may, and for all of the stateless protocol. */
  readonly session: Session | null;
  readonly headers: McpHeaders;
  readonly reply: McpReply;
}

/** Resolves once the request is answered or dropped: false for a message that the core does not take. */
export async function serveRequest(request: AgentRequest, context: MethodsContext): Promise<boolean> {
  const { message, revision, session, reply } = request;
  const { id, method } = message;
  const transport = new ExchangeTransport(revision !== null, reply);
  const server = new AgentServer(request, context, transport);
  const open = (version: string): void => transport.addHeaders(openSession(version, server, request, context));
  if (method === 'initialize') transport.onversion = open;
  await server.connect(transport);
  // Closing its connection is how a client of the stateless protocol cancels; one with a session may come back for more.
  if (revision !== null) reply.onGone(() => server.abandon());
  const running = method === 'tools/call' ? session?.calls : undefined;
  running?.set(id, { cancel: () => server.cancel(id) });
  try {
    return await transport.run(() => server.take(message));
  } finally {
    running?.delete(id);
  }
}

const LEGACY: MessageExtraInfo = { classification: { era: 'legacy' } };
const MODERN: MessageExtraInfo = { classification: { era: 'modern', revision: MODERN_VERSION } };

/**
 * `connect` of the package sets listeners on the transport by functions that are written into the assignment to a property
 * (`transport.onmessage = (message) => …`). V8 takes such a function for a method that stays and puts it among what is old at
 * once, with all that it can reach: the whole request, until the whole memory is looked through (docs/adr/0040). A quarter of
 * the time of a call went into that. So this attaches the transport without listeners and enters requests itself, by two
 * members of the core that are not public; its own functions are made first and assigned then.
 */
class AgentServer extends Server {
  override readonly onerror: () => void;
  override readonly fallbackRequestHandler: Handler;
  readonly #era: MessageExtraInfo;

  constructor(request: AgentRequest, context: MethodsContext, transport: ExchangeTransport) {
    super(context.server, optionsFor(request, context));
    this.#era = request.revision === null ? LEGACY : MODERN;
    const report = (): void => transport.report();
    const answer: Handler = (asked, ctx) => handle(asked, ctx, request, context, transport);
    this.onerror = report;
    this.fallbackRequestHandler = answer;
    // The version of a connection, which a stateless client says with each request; the 2025 protocols are the default.
    if (request.revision !== null) this._negotiatedProtocolVersion = request.revision;
  }

  override connect(transport: ExchangeTransport): Promise<void> {
    Reflect.set(this, '_transport', transport);
    if (this.transport !== transport) throw new Error(CHANGED);
    return DONE;
  }

  /** As the core's own listener does: what is no request it does not take. */
  take(message: JSONRPCRequest): void {
    if (!isJSONRPCRequest(message)) return this.onerror();
    const enter: unknown = Reflect.get(this, '_onrequest');
    if (typeof enter !== 'function') throw new Error(CHANGED);
    Reflect.apply(enter, this, [message, this.#era]);
  }

  /** A client of the 2025 protocols no longer wants an answer. */
  cancel(requestId: RequestId): void {
    this._onnotification({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } }, LEGACY);
  }

  /** Its client is gone. */
  abandon(): void {
    this._onclose();
  }
}

const DONE = Promise.resolve();
const CHANGED = 'The core of @modelcontextprotocol/server has changed: see AgentServer';

async function handle(
  { method, params = {} }: JSONRPCRequest,
  ctx: ServerContext,
  { headers, session, revision }: AgentRequest,
  context: MethodsContext,
  transport: ExchangeTransport,
): Promise<Result> {
  try {
    const isModern = revision !== null;
    const outcome = (await METHODS.get(method)?.(params, { context, headers, session, isModern, ctx })) ?? unknownMethod(method, isModern);
    if (outcome.ok) return outcome.result;
    const { code, message, data } = outcome.failure;
    transport.failWith(outcome.failure);
    throw new ProtocolError(code, message, data);
  } catch (error) {
    if (!(error instanceof ProtocolError)) transport.fail(error);
    throw error;
  } finally {
    // The core has nothing to send for it.
    if (ctx.mcpReq.signal.aborted) transport.drop();
  }
}

/** In the stateless protocol an unknown method is also an unknown address. */
function unknownMethod(method: string, isModern: boolean): Outcome {
  const message = `There is no method "${method.slice(0, 100)}" here.`;
  return { ok: false, failure: { status: isModern ? 404 : 200, code: RPC.methodNotFound, message } };
}

function openSession(
  version: string,
  server: AgentServer,
  { headers }: AgentRequest,
  { sessions }: MethodsContext,
): Readonly<Record<string, string>> {
  const client = clientName(server.getClientVersion()?.name ?? '');
  return { [HEADERS.session]: sessions.open(version, client, headers.caller.key).id };
}

type Handler = (request: JSONRPCRequest, ctx: ServerContext) => Promise<Result>;

const SHARED: ServerOptions = {
  supportedProtocolVersions: [...LEGACY_VERSIONS, MODERN_VERSION],
  // For answers of people to what a tool asks of them, which none can: the one of the package is made anew for each server.
  jsonSchemaValidator: {
    getValidator() {
      throw new Error('Nothing is asked of clients here, so there is no answer of theirs to check');
    },
  },
};
const PLAIN: ServerOptions = { ...SHARED, capabilities: {} };
const CALLING: ServerOptions = { ...SHARED, capabilities: { tools: {}, logging: {} } };

function optionsFor({ message, revision, headers }: AgentRequest, { catalogues }: MethodsContext): ServerOptions {
  const { method } = message;
  // Where no log is asked for, the core is not made ready to tell it.
  if (method === 'tools/call') return revision !== null && message.params?._meta?.[META.logLevel] === undefined ? PLAIN : CALLING;
  if (method !== 'initialize' && method !== 'server/discover') return PLAIN;
  return { ...SHARED, capabilities: capabilitiesOf(headers.caller), instructions: catalogues.current(headers.caller).instructions };
}

/** What a client is told there is, it asks for, and may give up where it is refused: so only what its sender may. */
function capabilitiesOf({ may }: McpCaller): ServerCapabilities {
  return {
    tools: { listChanged: true },
    logging: {},
    ...(may('resources.read', null) ? { resources: { listChanged: true, subscribe: true } } : {}),
    ...(may('saved_calls.read', null) ? { prompts: { listChanged: true } } : {}),
  };
}
