import type { McpEndpoint } from '#lib/contract/mcp-exchange.ts';
import { PROBLEMS } from '#lib/contract/problems.ts';
import { ok } from '#lib/contract/result.ts';
import type { Host } from '#lib/host/host.ts';
import { createAuthoring } from './authoring.ts';
import { findOwnSession } from './find-session.ts';
import { failureAnswer } from './json-rpc.ts';
import type { Posts } from './posts.ts';
import { RPC } from './protocol.ts';
import { messagesUri, statusUri } from './resources.ts';
import { createSessions } from './sessions.ts';
import { createCatalogues } from './tool-catalogue.ts';

/**
 * The MCP endpoint: the stateless protocol (2026-07-28) and the ones with a handshake (2025) over the same catalogue, by the
 * official package. What can go wrong:
 * - one client sees another's messages: so an answer goes to the exchange that its request came by, and what belongs to no
 *   request only to streams of those who asked for it;
 * - the package takes some 40 ms to load, which the start shall not wait for, and the pages load after it: so it is loaded
 *   while the extensions start, and a message that comes before waits for it.
 */
export function createMcpEndpoint(host: Host, version: string): McpEndpoint {
  const server = { name: 'switchboard', title: 'Switchboard', version };
  const sessions = createSessions();
  const authoring = createAuthoring(host);
  const catalogues = createCatalogues(host, authoring, () => loaded?.changes.tellSoon());
  const unsubscribe = host.events.subscribe(
    ({ type, data }) => {
      // Of a channel's messages only where it names one; else the channel is another, not what is written in it.
      if (loaded?.notices.hasListeners() !== true || (type === 'channel.changed' && data.message_id === undefined)) return;
      if (data.channel !== undefined) loaded.notices.resourceUpdated(messagesUri(data.channel));
      else if (data.extension !== undefined) loaded.notices.resourceUpdated(statusUri(data.extension));
    },
    ['extension.loaded', 'extension.failed', 'extension.removed', 'message.received', 'message.sent', 'channel.changed'],
  );
  let loaded: Posts | null = null;
  const load = async (): Promise<Posts> => {
    const { createPosts } = await import('./posts.ts');
    loaded ??= createPosts({ host, server, catalogues, authoring, sessions });
    return loaded;
  };
  // Should it fail, whoever sends the first message is told.
  load().catch(() => undefined);

  return {
    async post(exchange, body) {
      if (!body.ok) {
        const { code, detail, extra } = body.problem;
        // Only bytes that are no JSON are a parse error; the rest was read and is not accepted.
        const failure = {
          code: code === 'body_invalid' ? RPC.parseError : RPC.invalidRequest,
          message: detail,
          data: { ...extra, code },
        };
        return failureAnswer(null, { ...failure, status: PROBLEMS[code].status });
      }
      return (loaded ?? (await load())).answer(exchange, body.value);
    },
    async get(exchange) {
      const found = findOwnSession(sessions, exchange);
      if (!found.ok) return found;
      const room = exchange.keepOpen();
      if (!room.ok) return room;
      const { changes, notices } = loaded ?? (await load());
      changes.begin();
      return ok(await notices.openFor(found.value, exchange));
    },
    delete(exchange) {
      const found = findOwnSession(sessions, exchange);
      if (!found.ok) return found;
      sessions.end(found.value);
      return ok(null);
    },
    close() {
      unsubscribe();
      catalogues.close();
      loaded?.notices.close();
    },
  };
}
