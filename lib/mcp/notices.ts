import type { McpCaller, McpPost, McpStream } from '#lib/contract/mcp-exchange.ts';
import { ok } from '#lib/contract/result.ts';
import type { Result } from '#lib/contract/result.ts';
import { z } from 'zod';
import { failureText, invalidParams, noticeText } from './json-rpc.ts';
import type { Params, RequestId } from './json-rpc.ts';
import { META, RPC } from './protocol.ts';
import type { Session, Sessions } from './sessions.ts';
import type { ServerInfo } from './tool-catalogue.ts';

/**
 * Who wants to be told of what: sessions of the 2025 protocols by the stream of their `GET`, clients of the stateless one
 * by `subscriptions/listen`, which says what. What can go wrong: a client that lost its connection opens its stream anew
 * while the old one is not known to be dead: the new one replaces it.
 */
export interface Notices {
  openFor(session: Session, caller: McpCaller, open: () => Result<McpStream>): Result<null>;
  listen(id: RequestId, params: Params, exchange: McpPost): void;
  listChanged(what: 'tools' | 'resources' | 'prompts'): void;
  resourceUpdated(uri: string): void;
  /** Whether anybody is told of anything. */
  hasListeners(): boolean;
  close(): void;
}

interface Listener {
  readonly id: RequestId;
  readonly stream: McpStream;
  readonly wants: Wants;
  readonly isOther: IsOther;
}

type ListName = keyof typeof LISTS;
/** Whether that list is another one for who listens. */
type IsOther = (what: ListName) => boolean;

/** A list that somebody may not read is none that changes for him. */
const LISTS = { tools: 'tools.read', resources: 'resources.read', prompts: 'saved_calls.read' } as const;

const filterSchema = z.looseObject({
  toolsListChanged: z.boolean().optional(),
  resourcesListChanged: z.boolean().optional(),
  promptsListChanged: z.boolean().optional(),
  resourceSubscriptions: z.array(z.string().max(1_000)).max(1_000).optional(),
});
type Wants = Readonly<z.infer<typeof filterSchema>>;
const listenSchema = z.looseObject({ notifications: filterSchema });

/** @param toolsOf the tools that somebody may see, as they are listed */
export function createNotices(sessions: Sessions, server: ServerInfo, toolsOf: (caller: McpCaller) => Uint8Array): Notices {
  const listeners = new Set<Listener>();
  const streams = new Map<McpStream, IsOther>();

  /** For who sees some tools only, most changes of the tools are none. */
  const isOtherFor = (caller: McpCaller): IsOther => {
    if (caller.tools === null) return (what) => caller.may(LISTS[what], null);
    let seen = toolsOf(caller);
    return (what) => {
      if (what !== 'tools') return caller.may(LISTS[what], null);
      const before = seen;
      seen = toolsOf(caller);
      return Buffer.compare(before, seen) !== 0;
    };
  };

  const tellListener = ({ id, stream }: Listener, method: string, params: Record<string, unknown> = {}): void =>
    stream.send(noticeText(method, { ...params, _meta: { [META.subscriptionId]: id } }));

  return {
    openFor(session, caller, open) {
      const opened = open();
      if (!opened.ok) return opened;
      const stream = opened.value;
      session.stream?.end();
      session.stream = stream;
      streams.set(stream, isOtherFor(caller));
      stream.onEnd(() => {
        streams.delete(stream);
        if (session.stream === stream) session.stream = null;
      });
      return ok(null);
    },
    listen(id, params, exchange) {
      const asked = listenSchema.safeParse(params);
      if (!asked.success) {
        const failure = invalidParams(asked.error, 'subscriptions/listen takes notifications, an object that says which.');
        return exchange.answer(200, failureText(id, failure));
      }
      const opened = exchange.open();
      if (!opened.ok) {
        const { code, detail, retryAfter } = opened.problem;
        const failure = { code: RPC.refused, message: detail, data: { code, retry_after: retryAfter } };
        return exchange.answer(200, failureText(id, failure));
      }
      const { caller } = exchange;
      const wants = honoured(asked.data.notifications, caller);
      const listener: Listener = { id, stream: opened.value, wants, isOther: isOtherFor(caller) };
      tellListener(listener, 'notifications/subscriptions/acknowledged', { notifications: listener.wants });
      if (Object.keys(listener.wants).length === 0) return endListener(listener);
      listeners.add(listener);
      listener.stream.onEnd(() => listeners.delete(listener));
    },
    listChanged(what) {
      const method = `notifications/${what}/list_changed`;
      const text = noticeText(method);
      for (const [stream, isOther] of streams) if (isOther(what)) stream.send(text);
      for (const listener of listeners) {
        if (listener.wants[`${what}ListChanged`] === true && listener.isOther(what)) tellListener(listener, method);
      }
    },
    resourceUpdated(uri) {
      const method = 'notifications/resources/updated';
      for (const { stream, subscriptions } of sessions.all()) if (subscriptions.has(uri)) stream?.send(noticeText(method, { uri }));
      for (const listener of listeners)
        if (listener.wants.resourceSubscriptions?.includes(uri) === true) tellListener(listener, method, { uri });
    },
    hasListeners: () => streams.size + listeners.size > 0,
    close() {
      for (const listener of listeners) endListener(listener);
      for (const stream of streams.keys()) stream.end();
    },
  };

  /** With the answer that tells an end from a lost connection. */
  function endListener({ id, stream }: Listener): void {
    const result = { resultType: 'complete', _meta: { [META.subscriptionId]: id, [META.serverInfo]: server } };
    stream.send(JSON.stringify({ jsonrpc: '2.0', id, result }));
    stream.end();
  }
}

/** What is asked for and can be given to who asks; nothing else is ever sent. */
function honoured(wants: Wants, { may }: McpCaller): Wants {
  const { toolsListChanged, resourcesListChanged, promptsListChanged, resourceSubscriptions = [] } = wants;
  const mayReadResources = may(LISTS.resources, null);
  return {
    ...(toolsListChanged === true ? { toolsListChanged } : {}),
    ...(resourcesListChanged === true && mayReadResources ? { resourcesListChanged } : {}),
    ...(promptsListChanged === true && may(LISTS.prompts, null) ? { promptsListChanged } : {}),
    ...(resourceSubscriptions.length === 0 || !mayReadResources ? {} : { resourceSubscriptions }),
  };
}
