import type { McpEndpoint } from '#lib/contract/mcp-exchange.ts';
import { PROBLEMS } from '#lib/contract/problems.ts';
import { ok } from '#lib/contract/result.ts';
import type { Host } from '#lib/host/host.ts';
import { createAuthoring } from './authoring.ts';
import { createOpenCalls, reportRoots } from './caller-answers.ts';
import { findOwnSession } from './find-session.ts';
import { failureAnswer } from './json-rpc.ts';
import type { Posts } from './posts.ts';
import { RPC } from './protocol.ts';
import { messagesUri, statusUri } from './resources.ts';
import { createSharedSessions } from './session-peers.ts';
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
  const catalogues = createCatalogues(host, authoring, () => loaded?.changes.tellSoon());
  const unsubscribe = host.events.subscribe(
    ({ type, data }) => {
      // A channel event with a name concerns its messages; without one, the channel changed.
      if (!hasReaders() || (type === 'channel.changed' && data.message_id === undefined)) return;
      if (data.channel !== undefined) loaded?.notices.resourceUpdated(messagesUri(data.channel));
      else if (data.extension !== undefined) loaded?.notices.resourceUpdated(statusUri(data.extension));
    },
    ['extension.loaded', 'extension.failed', 'extension.removed', 'message.received', 'message.sent', 'channel.changed'],
  );
  const unfollow = host.servers.onNotice(({ method, params }) => {
    if (method === 'notifications/resources/updated') loaded?.notices.resourceUpdated(params.uri);
    else loaded?.notices.elicitationCompleted(params.elicitationId);
  });
  /** The stream of a session may be on another server. */
  const hasReaders = (): boolean => loaded?.notices.hasListeners() === true || host.instances.others().length > 0;
  let loaded: Posts | null = null;
  const load = async (): Promise<Posts> => {
    const { createPosts } = await import('./posts.ts');
    loaded ??= createPosts({
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
      const { changes, notices } = loaded ?? (await load());
      await changes.begin();
      return ok(await notices.openFor(found.value, exchange));
    },
    async delete(exchange) {
      await sessions.prepare(exchange);
      const found = findOwnSession(sessions, exchange);
      if (!found.ok) return found;
      sessions.end(found.value);
      return ok(null);
    },
    close() {
      unsubscribe();
      unfollow();
      catalogues.close();
      loaded?.notices.close();
    },
  };
}
