import * as z from 'zod';
import type { McpEndpoint, McpHeaders } from '#lib/contract/mcp-exchange.ts';
import { PROBLEMS } from '#lib/contract/problems.ts';
import { ok } from '#lib/contract/result.ts';
import type { Host, HostInstances } from '#lib/host/host.ts';
import { createAuthoring } from './authoring.ts';
import { createOpenCalls, reportRoots, acceptAnswer } from './caller-answers.ts';
import { createSessions, findOwnSession, type Session, type Sessions } from './sessions.ts';
import { failureAnswer, RPC, HEADERS, LOG_LEVELS } from './protocol.ts';
import type { PostHandler } from './post-handler.ts';
import { messagesUri, statusUri } from './resources.ts';
import { createTasks } from './tasks.ts';
import { createCatalogues } from './tool-catalogue.ts';

/**
 * The MCP endpoint: the stateless protocol (2026-07-28) and those with a handshake (2025) over one catalogue, by the official
 * SDK. What can go wrong:
 * - a client gets messages of another: responses go to the exchange of their request, and other notifications only to streams
 *   that subscribed;
 * - the SDK takes about 40 ms to load, which would delay the start and the pages: it loads while the extensions start, and
 *   earlier messages wait for it.
 */
export function createMcpEndpoint(host: Host, version: string): McpEndpoint {
  const server = { name: 'switchboard', title: 'Switchboard', version };
  const sessions = createSharedSessions(host.instances, (session) => reportRoots(host.servers, sessions, session));
  const authoring = createAuthoring(host);
  const catalogues = createCatalogues(host, authoring, () => loaded?.changes.notifySoon());
  const stopEvents = host.events.subscribe(
    ({ type, data }) => {
      // A channel event with a name concerns its messages; without one, the channel changed.
      if (!hasReaders() || (type === 'channel.changed' && data.message_id === undefined)) return;
      if (data.channel !== undefined) loaded?.notifications.resourceUpdated(messagesUri(data.channel));
      else if (data.extension !== undefined) loaded?.notifications.resourceUpdated(statusUri(data.extension));
    },
    ['extension.loaded', 'extension.failed', 'extension.removed', 'message.received', 'message.sent', 'channel.changed'],
  );
  const stopNotices = host.servers.onNotice(({ method, params }) => {
    if (method === 'notifications/resources/updated') loaded?.notifications.resourceUpdated(params.uri);
    else loaded?.notifications.elicitationCompleted(params.elicitationId);
  });
  /** The stream of a session may be on another server. */
  const hasReaders = (): boolean => loaded?.notifications.hasListeners() === true || host.instances.others().length > 0;
  let loaded: PostHandler | null = null;
  const load = async (): Promise<PostHandler> => {
    const { createPostHandler } = await import('./post-handler.ts');
    loaded ??= createPostHandler({
      host,
      server,
      catalogues,
      authoring,
      sessions,
      openCalls: createOpenCalls(host.instances),
      tasks: createTasks(host, sessions),
    });
    return loaded;
  };
  // If loading fails, the first message gets the error.
  load().catch(() => undefined);

  return {
    async post(exchange, body) {
      if (!body.ok) {
        const { code, detail, extra } = body.problem;
        // Only invalid JSON is a parse error; other bodies are invalid requests.
        const failure = {
          code: code === 'body_invalid' ? RPC.parseError : RPC.invalidRequest,
          message: detail,
          data: { ...extra, code },
        };
        return failureAnswer(null, { ...failure, status: PROBLEMS[code].status });
      }
      await sessions.prepare(exchange);
      return (loaded ?? (await load())).answer(exchange, body.value);
    },
    async get(exchange) {
      await sessions.prepare(exchange);
      const found = findOwnSession(sessions, exchange);
      if (!found.ok) return found;
      const room = exchange.keepOpen();
      if (!room.ok) return room;
      const { changes, notifications } = loaded ?? (await load());
      await changes.begin();
      return ok(await notifications.openFor(found.value, exchange));
    },
    async delete(exchange) {
      await sessions.prepare(exchange);
      const found = findOwnSession(sessions, exchange);
      if (!found.ok) return found;
      sessions.end(found.value);
      return ok(null);
    },
    close() {
      stopEvents();
      stopNotices();
      catalogues.close();
      loaded?.notifications.close();
    },
  };
}

/**
 * Sessions of the 2025 protocols on several servers. The id of a session contains it, so each server serves it; other state of one
 * server is shared by requests between the servers. What can go wrong:
 * - a message concerns a call or a stream of another server: it is passed on;
 * - a session comes to a server for the first time: the others are asked for its log level, and whether it was ended;
 * - the server with its subscriptions dies: they are lost, as after a restart.
 */
const requestSchema = z.discriminatedUnion('do', [
  z.object({ do: z.literal('look'), id: z.string() }),
  z.object({ do: z.literal('end'), id: z.string() }),
  z.object({ do: z.literal('level'), id: z.string(), level: z.enum(LOG_LEVELS) }),
  z.object({ do: z.literal('cancel'), id: z.string(), request: z.union([z.string(), z.number()]) }),
  z.object({
    do: z.literal('answer'),
    id: z.string(),
    to: z.string(),
    reply: z.discriminatedUnion('ok', [
      z.object({ ok: z.literal(true), result: z.record(z.string(), z.unknown()) }),
      z.object({ ok: z.literal(false), error: z.object({ code: z.number(), message: z.string() }) }),
    ]),
  }),
  z.object({ do: z.literal('unsubscribe'), id: z.string(), uri: z.string() }),
  z.object({ do: z.literal('roots'), id: z.string() }),
  z.object({
    do: z.literal('send'),
    id: z.string(),
    message: z.object({ id: z.string().optional(), method: z.string(), params: z.record(z.string(), z.unknown()) }),
  }),
]);
type PeerRequest = z.infer<typeof requestSchema>;
const knownSchema = z.object({ isEnded: z.boolean(), level: z.enum(LOG_LEVELS) });

interface SharedSessions extends Sessions {
  /** Called before a message of a session that may be new on this server. */
  prepare(headers: McpHeaders): Promise<void>;
}

const KIND = 'mcp';
const LOOK_MS = 1_000;
const PASS_ON_MS = 5_000;

/** @param onRoots called when the roots of a session changed, and another server was notified */
function createSharedSessions(instances: Pick<HostInstances, 'askOthers' | 'answer'>, onRoots: (session: Session) => void): SharedSessions {
  const passOn = (request: PeerRequest): void => void instances.askOthers(KIND, request, PASS_ON_MS).catch(() => undefined);
  const sessions = createSessions({ passOn: ({ id }, change) => passOn({ ...change, id }) });

  function apply(request: PeerRequest, session: Session): void {
    switch (request.do) {
      case 'look':
        return;
      case 'end':
        return sessions.end(session);
      case 'level':
        session.logLevel = request.level;
        return;
      case 'cancel':
        return session.calls.get(request.request)?.cancel();
      case 'answer':
        return void acceptAnswer(session, request.to, request.reply);
      case 'unsubscribe':
        session.subscriptions.get(request.uri)?.();
        return void session.subscriptions.delete(request.uri);
      case 'roots':
        return onRoots(session);
      case 'send':
        return session.stream?.send(request.message);
    }
  }

  instances.answer(KIND, async (payload) => {
    const request = requestSchema.parse(payload);
    const session = sessions.known(request.id);
    if (request.do === 'look') {
      const isEnded = sessions.isEnded(request.id);
      return session === null && !isEnded ? null : { isEnded, level: session?.logLevel ?? 'info' };
    }
    if (session !== null) apply(request, session);
    return null;
  });

  return {
    ...sessions,
    end(session) {
      sessions.end(session);
      passOn({ do: 'end', id: session.id });
    },
    async prepare(headers) {
      const id = headers.header(HEADERS.session);
      if (id === undefined || sessions.known(id) !== null || sessions.isEnded(id)) return;
      const answers = (await instances.askOthers(KIND, { do: 'look', id }, LOOK_MS)).map((answer) => knownSchema.safeParse(answer).data);
      const found = answers.filter((answer) => answer !== undefined);
      const session = found.length === 0 ? null : sessions.find(id, headers.caller.key);
      if (session === null) return;
      session.logLevel = found.find(({ level }) => level !== 'info')?.level ?? 'info';
      if (found.some(({ isEnded }) => isEnded)) sessions.end(session);
    },
  };
}
