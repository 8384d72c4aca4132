import { isInitializeRequest, isJSONRPCNotification, isJSONRPCRequest } from '@modelcontextprotocol/server';
import type { JSONRPCNotification, JSONRPCRequest } from '@modelcontextprotocol/server';
import type { McpHeaders, McpPost, McpReply, McpText } from '#lib/contract/mcp-exchange.ts';
import { serveRequest } from './agent-server.ts';
import type { AgentRequest } from './agent-server.ts';
import type { MethodsContext } from './asking.ts';
import type { ChangeNotices } from './change-notices.ts';
import { classify, readInbound } from './inbound.ts';
import { failureText } from './json-rpc.ts';
import type { Refusal, RequestId } from './json-rpc.ts';
import { refusalOf } from './method-actions.ts';
import type { Notices } from './notices.ts';
import { BATCH_VERSION, HEADERS, RPC } from './protocol.ts';
import { findSession } from './find-session.ts';
import type { Session } from './sessions.ts';

/**
 * What comes by `POST`: one message, or in one version of the protocol several in an array. Each request is served by itself,
 * once it is known of which generation it is, whose session it belongs to, and that its sender may. With it comes all that
 * needs the official package at work, so it is loaded by itself.
 */
export interface PostsContext extends MethodsContext {
  readonly notices: Notices;
  readonly changes: ChangeNotices;
}

const MOST = 100;

export async function answerPost(exchange: McpPost, body: unknown, context: PostsContext): Promise<void> {
  if (Array.isArray(body)) return answerBatch(exchange, body, context);
  const inbound = readInbound(body, exchange);
  if (inbound.kind === 'refused') return refuse(exchange, inbound.id, inbound.refusal);
  if (inbound.kind === 'response') return exchange.accept();
  const { message } = inbound;
  if (inbound.kind === 'notification') {
    // A request of the stateless protocol is cancelled by closing its connection; nothing else is told by its clients.
    if (inbound.isModern) return exchange.accept();
    const found = findSession(context.sessions, exchange, false);
    if (!found.ok) return refuse(exchange, null, found.refusal);
    takeNotification(inbound.message, found.session, exchange);
    return exchange.accept();
  }
  const { revision, message: request } = inbound;
  const found = revision === null ? findSession(context.sessions, exchange, message.method === 'initialize') : NO_SESSION;
  if (!found.ok) return refuse(exchange, request.id, found.refusal);
  return answerRequest({ message: request, revision, session: found.session, headers: exchange, reply: exchange }, exchange, context);
}

const NO_SESSION = { ok: true, session: null } as const;

/** `exchange` is null for a message among others, which opens no stream. */
async function answerRequest(request: AgentRequest, exchange: McpPost | null, context: PostsContext): Promise<void> {
  const { message, revision, headers, reply } = request;
  const { id, method, params = {} } = message;
  const refusal = refusalOf(method, params, headers);
  if (refusal !== null) return refuse(reply, id, refusal);
  if (method === 'initialize' && revision === null && !isInitializeRequest(message)) {
    const reason = 'The params do not fit: initialize takes protocolVersion, capabilities and clientInfo, with name and version.';
    return refuse(reply, id, { status: 200, code: RPC.invalidParams, message: reason });
  }
  if (method === 'subscriptions/listen' && revision !== null && exchange !== null) {
    context.changes.begin();
    return context.notices.listen(id, params, exchange);
  }
  try {
    if (await serveRequest(request, context)) return;
  } catch (error) {
    context.host.logger.error('A request of an agent failed', { method, error });
    return refuse(reply, id, BUG);
  }
  const inbound = classify(message, headers);
  refuse(reply, id, inbound.kind === 'refused' ? inbound.refusal : NO_MESSAGE);
}

/** Whatever else was asked in the same array is answered all the same, and a stream that was begun has its end. */
const BUG: Refusal = { status: 500, code: RPC.internalError, message: 'The server failed on this request. Its log has the cause.' };

const NO_MESSAGE: Refusal = { status: 400, code: RPC.invalidRequest, message: 'This is no message of the protocol.' };

/** Answered together, in the order of the requests. Each has a reply of its own, so that what one says before its answer still goes out at once. */
async function answerBatch(exchange: McpPost, messages: readonly unknown[], context: PostsContext): Promise<void> {
  const found = findSession(context.sessions, exchange, false);
  if (!found.ok) return refuse(exchange, null, found.refusal);
  const { session } = found;
  const refusal = checkBatch(messages, session?.version ?? exchange.header(HEADERS.protocolVersion));
  if (refusal !== null) return refuse(exchange, null, refusal);
  const inbound = classify(messages, exchange);
  if (inbound.kind === 'refused') return refuse(exchange, inbound.id, inbound.refusal);

  for (const message of messages) if (isJSONRPCNotification(message)) takeNotification(message, session, exchange);
  const requests = messages.filter((message) => isJSONRPCRequest(message));
  if (requests.length === 0) return exchange.accept();
  const answers = await Promise.all(requests.map((message) => answerOf(message, session, exchange, context)));
  const texts = answers.filter((answer) => answer !== null);
  if (texts.length === 0) return exchange.drop();
  exchange.answer(200, ['[', ...texts.flatMap((text, at) => (at === 0 ? text : [',', ...text])), ']']);
}

function checkBatch(messages: readonly unknown[], version: string | undefined): Refusal | null {
  const invalid = (message: string): Refusal => ({ status: 400, code: RPC.invalidRequest, message });
  if (version !== BATCH_VERSION)
    return invalid(`Several messages in one array are accepted with protocol version ${BATCH_VERSION} only. Send them one by one.`);
  if (messages.length === 0 || messages.length > MOST)
    return invalid(`An array holds 1 to ${MOST} messages; this one has ${messages.length}.`);
  return null;
}

async function answerOf(
  message: JSONRPCRequest,
  session: Session | null,
  exchange: McpPost,
  context: PostsContext,
): Promise<McpText | null> {
  if (message.method === 'initialize')
    return failureText(message.id, { code: RPC.invalidRequest, message: 'initialize comes alone, never in an array.' });
  let answer: McpText | null = null;
  const reply: McpReply = {
    notify: (text) => exchange.notify(text),
    answer: (_status, text) => {
      answer = text;
    },
    drop: () => undefined,
    onGone: (listener) => exchange.onGone(listener),
  };
  await answerRequest({ message, revision: null, session, headers: exchange, reply }, null, context);
  return answer;
}

/** Of all that a client of the 2025 protocols may tell, this alone changes anything here: the request is served elsewhere. */
function takeNotification({ method, params }: JSONRPCNotification, session: Session | null, headers: McpHeaders): void {
  if (method !== 'notifications/cancelled' || session === null) return;
  // Only calls of the session itself end by it, so a token for some tools may call off what it has called.
  if (headers.caller.tools === null && !headers.authorize('calls.cancel', null).ok) return;
  const id = params?.['requestId'];
  if (typeof id === 'string' || typeof id === 'number') session.calls.get(id)?.cancel();
}

function refuse(reply: McpReply, id: RequestId | null, refusal: Refusal): void {
  reply.answer(refusal.status, failureText(id, refusal));
}
