import { createMcpHandler, type JSONRPCRequest, Server, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { LIMITS } from '#lib/contract/limits.ts';
import type { McpAnswer, McpCaller, McpExchange } from '#lib/contract/mcp-exchange.ts';
import { describing } from './agent-server.ts';
import { failureAnswer, invalidParams, HEADERS, MODERN_VERSION, RPC } from './protocol.ts';
import { mayUseServers, type Subscription } from './proxied-features.ts';
import { isOwnUri } from './resources.ts';
import type { Session, Sessions, SessionStream } from './sessions.ts';
import type { ServerInfo } from './tool-catalogue.ts';

/**
 * Notifications outside of requests: to sessions of the 2025 protocols on the stream of their `GET`, to clients of the
 * stateless protocol on that of `subscriptions/listen`, both served by the SDK. What can go wrong: a client reconnects before
 * its old stream is known to be dead; the new stream replaces it.
 */
export interface Notifications {
  openFor(session: Session, exchange: McpExchange): Promise<Response>;
  listen(request: JSONRPCRequest, exchange: McpExchange): Promise<McpAnswer>;
  listChanged(what: ListName): void;
  resourceUpdated(uri: string): void;
  /** An elicitation by URL is complete. */
  elicitationCompleted(id: string): void;
  /** Whether there are subscribers. */
  hasListeners(): boolean;
  close(): void;
}

interface Listener {
  listChanged(what: ListName): void;
  /** The streams of a session get notifications of its subscriptions. */
  resourceUpdated?(uri: string): void;
  end(): void;
}

type ListName = keyof typeof LISTS;

/** A list without permission never changes for that caller. */
const LISTS = { tools: 'tools.read', resources: 'resources.read', prompts: 'saved_calls.read' } as const;

/** The SDK validates the rest. */
const listenSchema = z.looseObject({
  notifications: z.looseObject({ resourceSubscriptions: z.array(z.string().max(4_096)).max(1_000).optional() }),
});

/** The headers that the SDK reads; the others are already validated. */
const ADDRESS = 'http://localhost/mcp';
const OPENING = new Headers({ accept: 'text/event-stream' });
const LISTENING = new Headers({
  'content-type': 'application/json',
  [HEADERS.protocolVersion]: MODERN_VERSION,
  [HEADERS.method]: 'subscriptions/listen',
});
const KEEP_ALIVE = { keepAliveMs: LIMITS.eventHeartbeatMs };

interface NotificationsOptions {
  readonly sessions: Sessions;
  readonly server: ServerInfo;
  /** Tools visible to a caller, as listed. */
  toolsOf(caller: McpCaller): Buffer;
  /** Subscribes to a resource of an MCP server. */
  subscribe(uri: string, caller: McpCaller): Promise<Subscription | null>;
}

export function createNotifications({ sessions, server, toolsOf, subscribe }: NotificationsOptions): Notifications {
  const listeners = new Set<Listener>();

  const add = (listener: Listener, exchange: McpExchange): void => {
    listeners.add(listener);
    exchange.onClose(() => {
      listeners.delete(listener);
      listener.end();
    });
  };

  /** Whether the list changed for the caller. For callers with few tools most changes are irrelevant. */
  const changesFor = (caller: McpCaller): ((what: ListName) => boolean) => {
    if (caller.tools === null) return (what) => caller.may(LISTS[what], null);
    let seen = toolsOf(caller);
    return (what) => {
      if (what !== 'tools') return caller.may(LISTS[what], null);
      const before = seen;
      seen = toolsOf(caller);
      return !seen.equals(before);
    };
  };

  return {
    async openFor(session, exchange) {
      const sender = new Server(server, describing(exchange.caller));
      const transport = new WebStandardStreamableHTTPServerTransport(KEEP_ALIVE);
      await sender.connect(transport);
      const send: SessionStream['send'] = (message) => void transport.send({ jsonrpc: '2.0', ...message }).catch(() => undefined);
      const stream = { send, end: () => void transport.close() };
      session.stream?.end();
      session.stream = stream;
      const isOther = changesFor(exchange.caller);
      const listener: Listener = {
        listChanged: (what) => void (isOther(what) && send({ method: `notifications/${what}/list_changed`, params: {} })),
        end() {
          if (session.stream === stream) session.stream = null;
          stream.end();
        },
      };
      add(listener, exchange);
      return transport.handleRequest(new Request(ADDRESS, { headers: OPENING }));
    },
    async listen(request, exchange) {
      const asked = listenSchema.safeParse(request.params);
      if (!asked.success)
        return failureAnswer(
          request.id,
          invalidParams(asked.error, 'subscriptions/listen takes notifications, an object that says which.'),
        );
      const room = exchange.keepOpen();
      if (!room.ok) {
        const { code, detail, retryAfter } = room.problem;
        return failureAnswer(request.id, { code: RPC.refused, message: detail, data: { code, retry_after: retryAfter } });
      }
      const { caller } = exchange;
      const handler = createMcpHandler(() => new Server(server, describing(caller)), { legacy: 'reject', ...KEEP_ALIVE });
      const isOther = changesFor(caller);
      const { notify } = handler;
      const releases: (() => void)[] = [];
      let isOver = false;
      const changed = { tools: notify.toolsChanged, resources: notify.resourcesChanged, prompts: notify.promptsChanged };
      add(
        {
          listChanged: (what) => void (isOther(what) && changed[what]()),
          resourceUpdated: (uri) => void ((isOwnUri(uri) || mayUseServers(caller)) && notify.resourceUpdated(uri)),
          end() {
            isOver = true;
            for (const release of releases.splice(0)) release();
            void handler.close();
          },
        },
        exchange,
      );
      const addresses = new Set(asked.data.notifications.resourceSubscriptions);
      // A server that refuses reports no changes; the other subscriptions of the stream work.
      await Promise.all(
        [...addresses].map(async (uri) => {
          const subscription = isOwnUri(uri) ? null : await subscribe(uri, caller);
          if (subscription?.ok !== true) return;
          if (isOver) subscription.release();
          else releases.push(subscription.release);
        }),
      );
      return handler.fetch(new Request(ADDRESS, { method: 'POST', headers: LISTENING }), { parsedBody: request });
    },
    listChanged(what) {
      for (const listener of listeners) listener.listChanged(what);
    },
    resourceUpdated(uri) {
      for (const session of sessions.all()) {
        if (session.subscriptions.has(uri)) sessions.send(session, { method: 'notifications/resources/updated', params: { uri } });
      }
      for (const listener of listeners) listener.resourceUpdated?.(uri);
    },
    elicitationCompleted(elicitationId) {
      for (const session of sessions.all())
        if (session.elicitations.delete(elicitationId))
          sessions.send(session, { method: 'notifications/elicitation/complete', params: { elicitationId } });
    },
    hasListeners: () => listeners.size > 0,
    close() {
      for (const listener of listeners) listener.end();
    },
  };
}
