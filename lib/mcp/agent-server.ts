import { ProtocolError, Server } from '@modelcontextprotocol/server';
import type { JSONRPCRequest, Result, ServerCapabilities, ServerContext, ServerOptions } from '@modelcontextprotocol/server';
import type { McpCaller, McpHeaders, McpReply } from '#lib/contract/mcp-exchange.ts';
import type { Method, MethodsContext } from './asking.ts';
import { clientName } from './client-name.ts';
import { createExchangeTransport } from './exchange-transport.ts';
import { METHODS } from './methods.ts';
import { HEADERS, LEGACY_VERSIONS, MODERN_VERSION } from './protocol.ts';
import type { Session } from './sessions.ts';

/**
 * A server object of the official package for each request: its core tells the generations apart by the revision that it is
 * bound to, knows which methods each has, answers those that are about the protocol itself (initialize, ping, server/discover),
 * cancels, and puts results and failures into the form of the generation. What can go wrong:
 * - it is the hot path: one handler is set, for the method at hand, and capabilities are made for those who are told them;
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
  const { message, revision, session, headers, reply } = request;
  const { method: name } = message;
  const isInitialize = name === 'initialize' && revision === null;
  const server = new AgentServer(context, optionsFor(name, headers.caller, context), revision);
  const transport = createExchangeTransport(reply, revision !== null, isInitialize ? openSession : null);
  const method = METHODS.get(name);
  if (method !== undefined) server.fallbackRequestHandler = (asked, ctx) => handle(method, asked, ctx);
  server.onerror = () => transport.report();
  await server.connect(transport);
  // Closing its connection is how a client of the stateless protocol cancels; one with a session may come back for more.
  if (revision !== null) reply.onGone(() => void transport.close?.());
  const running = name === 'tools/call' ? session?.calls : undefined;
  running?.set(message.id, transport);
  try {
    return await transport.run(message);
  } finally {
    running?.delete(message.id);
  }

  async function handle(asked: Method, { params = {} }: JSONRPCRequest, ctx: ServerContext): Promise<Result> {
    try {
      const outcome = await asked(params, { context, headers, session, isModern: revision !== null, ctx });
      if (outcome.ok) return outcome.result;
      const { code, message: reason, data } = outcome.failure;
      transport.failWith(outcome.failure);
      throw new ProtocolError(code, reason, data);
    } catch (error) {
      if (!(error instanceof ProtocolError)) transport.fail(error);
      throw error;
    } finally {
      // The core has nothing to send for it.
      if (ctx.mcpReq.signal.aborted) transport.drop();
    }
  }

  function openSession(): Readonly<Record<string, string>> {
    const name = server.getClientVersion()?.name ?? '';
    const { id } = context.sessions.open(server.getNegotiatedProtocolVersion() ?? '', clientName(name), headers.caller.key);
    return { [HEADERS.session]: id };
  }
}

class AgentServer extends Server {
  constructor({ server }: MethodsContext, options: ServerOptions, revision: string | null) {
    super(server, options);
    // The version of a connection, which a stateless client says with each request; the 2025 protocols are the default.
    if (revision !== null) this._negotiatedProtocolVersion = revision;
  }
}

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

function optionsFor(method: string, caller: McpCaller, { catalogues }: MethodsContext): ServerOptions {
  if (method === 'tools/call') return CALLING;
  if (method !== 'initialize' && method !== 'server/discover') return PLAIN;
  return { ...SHARED, capabilities: capabilitiesOf(caller), instructions: catalogues.current(caller).instructions };
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
