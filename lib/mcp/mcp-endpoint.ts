import type { McpEndpoint, McpHeaders, McpPost, McpReply } from '#lib/contract/mcp-exchange.ts';
import { PROBLEMS } from '#lib/contract/problems.ts';
import { ok, refuse } from '#lib/contract/result.ts';
import type { Problem, Result } from '#lib/contract/result.ts';
import type { Host } from '#lib/host/host.ts';
import { z } from 'zod';
import { createAuthoring } from './authoring.ts';
import { answerBatch } from './batch.ts';
import { failureText, parseMessage, requestIdSchema } from './json-rpc.ts';
import type { RpcFailure, RpcMessage } from './json-rpc.ts';
import { answerLegacy, answerModern } from './methods.ts';
import type { MethodsContext } from './methods.ts';
import { checkModernRequest, isModern } from './modern-request.ts';
import { createNotices } from './notices.ts';
import { BATCH_VERSION, HEADERS, isLegacyVersion, LEGACY_VERSIONS, MODERN_VERSION, RPC } from './protocol.ts';
import { messagesUri, statusUri } from './resources.ts';
import { createSessions } from './sessions.ts';
import type { Session } from './sessions.ts';
import { createCatalogues } from './tool-catalogue.ts';
import { createChangeNotices } from './change-notices.ts';

/**
 * The MCP endpoint: what comes by `/mcp` is told apart here into the stateless protocol (2026-07-28) and the ones with a
 * handshake (2025), and answered over the same catalogue. One client never sees another's messages: an answer goes to the
 * exchange its request came by, and what belongs to no request only to streams of those who asked for it.
 */
export function createMcpEndpoint(host: Host, version: string): McpEndpoint {
  const server = { name: 'switchboard', title: 'Switchboard', version };
  const sessions = createSessions();
  const authoring = createAuthoring(host);
  const catalogues = createCatalogues(host, server, authoring, () => changes.tellSoon());
  const notices = createNotices(sessions, server, (caller) => catalogues.current(caller).modernList);
  const changes = createChangeNotices(host, catalogues, notices);
  const context: MethodsContext = { host, server, catalogues, authoring, sessions, notices };
  const unsubscribe = host.events.subscribe(
    ({ data }) => {
      if (!notices.hasListeners()) return;
      if (data.channel !== undefined) notices.resourceUpdated(messagesUri(data.channel));
      else if (data.extension !== undefined) notices.resourceUpdated(statusUri(data.extension));
    },
    ['extension.loaded', 'extension.failed', 'extension.removed', 'message.received', 'message.sent'],
  );

  return {
    async post(exchange, body) {
      if (!body.ok) return refuseBody(exchange, body.problem);
      if (Array.isArray(body.value)) return postBatch(exchange, body.value);
      const message = parseMessage(body.value);
      if (message.kind === 'invalid')
        return answerFailure(exchange, message.id, { status: 400, code: RPC.invalidRequest, message: message.reason });
      if (message.kind === 'response') return exchange.accept();
      if (isModern(message.method, message.params, exchange)) return postModern(exchange, message);
      const session = sessionOf(exchange, message);
      if (!session.ok) return answerFailure(exchange, message.kind === 'request' ? message.id : null, session.failure);
      if (message.kind === 'request') return answerLegacy(message, session.value, exchange, exchange, context);
      takeNotification(message, session.value, exchange);
      exchange.accept();
    },
    get(exchange) {
      const found = streamSession(exchange);
      if (!found.ok) return found;
      changes.begin();
      return notices.openFor(found.value, exchange.caller, () => exchange.open());
    },
    delete(exchange) {
      const found = streamSession(exchange);
      if (!found.ok) return found;
      sessions.end(found.value);
      return ok(null);
    },
    close() {
      unsubscribe();
      catalogues.close();
      notices.close();
    },
  };

  async function postModern(exchange: McpPost, message: RpcMessage & { readonly kind: 'request' | 'notification' }): Promise<void> {
    // A request is cancelled by closing its connection; nothing else is told by clients of this protocol.
    if (message.kind === 'notification') return exchange.accept();
    const checked = checkModernRequest(message, exchange);
    if (!checked.ok) return answerFailure(exchange, message.id, checked.failure);
    if (message.method === 'subscriptions/listen') changes.begin();
    return answerModern(message, checked.caller, exchange, context);
  }

  async function postBatch(exchange: McpPost, values: readonly unknown[]): Promise<void> {
    const session = sessionOf(exchange, null);
    const version = session.ok ? (session.value?.version ?? exchange.header(HEADERS.protocolVersion)) : undefined;
    if (!session.ok) return answerFailure(exchange, null, session.failure);
    if (version !== BATCH_VERSION)
      return answerFailure(exchange, null, {
        status: 400,
        code: RPC.invalidRequest,
        message: `Several messages in one array are accepted with protocol version ${BATCH_VERSION} only. Send them one by one.`,
      });
    return answerBatch(values, exchange, {
      request: (message, reply) => answerLegacy(message, session.value, exchange, reply, context),
      notification: (message) => takeNotification(message, session.value, exchange),
    });
  }

  /** Null: a client that goes without a session, as it may. */
  function sessionOf(headers: McpHeaders, message: RpcMessage | null): SessionOutcome {
    const version = headers.header(HEADERS.protocolVersion)?.trim();
    if (version !== undefined && !isLegacyVersion(version))
      return {
        ok: false,
        failure: {
          status: 400,
          code: RPC.refused,
          message: `Protocol version "${version.slice(0, 40)}" is not served here (served: ${[MODERN_VERSION, ...LEGACY_VERSIONS].join(', ')}).`,
        },
      };
    const id = headers.header(HEADERS.session);
    const isHandshake = message !== null && message.kind === 'request' && message.method === 'initialize';
    if (id === undefined || isHandshake) return { ok: true, value: null };
    const session = sessions.find(id, headers.caller.key);
    if (session !== null) return { ok: true, value: session };
    return {
      ok: false,
      failure: { status: 404, code: RPC.sessionNotFound, message: 'This session is over or was none. Begin a new one with initialize.' },
    };
  }

  function streamSession(headers: McpHeaders): Result<Session> {
    const version = headers.header(HEADERS.protocolVersion)?.trim();
    if (version !== undefined && !isLegacyVersion(version))
      return refuse(
        'method_not_allowed',
        `With protocol version ${version.slice(0, 40)} only POST is used here; subscriptions/listen opens a stream.`,
        { extra: { allow: ['POST'] } },
      );
    const id = headers.header(HEADERS.session);
    if (id === undefined)
      return refuse(
        'request_malformed',
        `This is the address by which agents use the tools (MCP). The header ${HEADERS.session} is missing: a session begins with initialize.`,
      );
    const session = sessions.find(id, headers.caller.key);
    return session === null ? refuse('not_found', 'This session is over or was none. Begin a new one with initialize.') : ok(session);
  }
}

type SessionOutcome = { readonly ok: true; readonly value: Session | null } | { readonly ok: false; readonly failure: RpcFailure };

type RpcNotification = RpcMessage & { readonly kind: 'notification' };
const cancelledSchema = z.looseObject({ requestId: requestIdSchema });

/** Of all that a client may tell, this alone changes anything here. */
function takeNotification({ method, params }: RpcNotification, session: Session | null, headers: McpHeaders): void {
  if (method !== 'notifications/cancelled' || session === null) return;
  // Only calls of the session itself end by it, so a token for some tools may call off what it has called.
  if (headers.caller.tools === null && !headers.authorize('calls.cancel', null).ok) return;
  const read = cancelledSchema.safeParse(params);
  if (read.success) session.calls.get(read.data.requestId)?.cancel();
}

function answerFailure(reply: McpReply, id: string | number | null, failure: RpcFailure): void {
  reply.answer(failure.status, failureText(id, failure));
}

/** Only bytes that are no JSON are a parse error; the rest was read and is not accepted. */
function refuseBody(exchange: McpPost, { code, detail, extra }: Problem): void {
  answerFailure(exchange, null, {
    status: PROBLEMS[code].status,
    code: code === 'body_invalid' ? RPC.parseError : RPC.invalidRequest,
    message: detail,
    data: { ...extra, code },
  });
}
