import type * as z from 'zod';
import { parseExactJson } from '#lib/contract/exact-json.ts';
import { fieldIssues } from '#lib/contract/field-words.ts';
import {
  NO_FEATURES,
  completionSchema,
  promptMessagesSchema,
  resourceReadSchema,
  emptyAnswerSchema,
} from '#lib/contract/server-features.ts';
import type { ServerError, ServerFeatures, ServerNotice, ServerRequestMethod, ServerRequestParams } from '#lib/contract/server-features.ts';
import { ok, refuse } from '#lib/contract/result.ts';
import type { Result } from '#lib/contract/result.ts';
import type { OwnedFeatures, Registry } from '#lib/registry/snapshot.ts';
import type { RequestOutcome, RunningExtension } from '#lib/runtime/runtime.ts';
import type { Answerer, AskReply, ClientAsk } from '#lib/contract/client-asks.ts';
import type { EventLog } from '#lib/registry/event-log.ts';
import { unknownExtension } from './extension-actions.ts';

/**
 * Resources, prompts and completion of the MCP servers among the extensions. What can go wrong: the server is unreachable, or its
 * answer is invalid (an error that names it); its process is replaced while clients are subscribed (they are subscribed again).
 */
export interface HostServers {
  /** Of all serving servers, by id in code-point order; each URI and name once. */
  list(): readonly OwnedFeatures[];
  /** All of one server, including those that another server owns; empty if it is not a server. */
  features(id: string): Result<ServerFeatures>;
  /** Refuses an unknown extension, and one that is not an MCP server: its process would not answer a request. */
  find(id: string): Result<null>;
  /** Never rejects. Without an `answerer`, requests of the server are refused meanwhile. */
  request<Method extends ServerRequestMethod>(
    id: string,
    method: Method,
    params: ServerRequestParams<Method>,
    signal?: AbortSignal,
    from?: ServerRequestFrom,
  ): Promise<ServerAnswer>;
  /** Subscriptions are counted: the first one to a URI is sent to the server, and all share its response. */
  subscribe(id: string, uri: string): Promise<ServerAnswer>;
  unsubscribe(id: string, uri: string): void;
  /** Called for notifications of the servers; returns the unsubscribe function. */
  onNotice(listener: (notice: ServerNotice) => void): () => void;
}

export interface ServerRequestFrom {
  readonly answerer?: Answerer | null;
  /** Id of the calling member. */
  readonly member?: string | undefined;
}

export type ServerAnswer =
  | { readonly ok: true; readonly value: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly error: ServerError };

export interface RunningHostServers {
  readonly host: HostServers;
  noticed(notice: ServerNotice): void;
  close(): void;
}

interface Subscribed {
  /** Number of subscribers. */
  count: number;
  /** Response of the server, shared by all subscribers. */
  readonly answer: Promise<ServerAnswer>;
}

const ANSWERS = {
  'resources/read': resourceReadSchema,
  'resources/subscribe': emptyAnswerSchema,
  'resources/unsubscribe': emptyAnswerSchema,
  'prompts/get': promptMessagesSchema,
  'completion/complete': completionSchema,
  'notifications/roots/list_changed': emptyAnswerSchema,
} as const satisfies Readonly<Record<ServerRequestMethod, z.ZodType>>;
const INTERNAL_ERROR = -32_603;
const REFUSED = -32_000;
/** Time limit of a subscription, because a stream of notifications opens only after it. */
const SUBSCRIBE_MS = 10_000;

export function createHostServers(
  registry: Registry<RunningExtension>,
  events: Pick<EventLog, 'subscribeOwn'>,
  timeoutMs: number,
): RunningHostServers {
  const listeners = new Set<(notice: ServerNotice) => void>();
  /** By extension: the subscribed URIs, and the process that has these subscriptions. */
  const subscribed = new Map<string, { readonly addresses: Map<string, Subscribed>; pid: number | null }>();

  const pidOf = (id: string): number | null => registry.current().entries.get(id)?.running?.process().pid ?? null;

  const request: HostServers['request'] = async (id, method, params, signal, { answerer = null, member } = {}) => {
    const running = registry.current().entries.get(id)?.running ?? null;
    const limit = createLimit(timeoutMs, answerer);
    const signals = signal === undefined ? limit.signal : AbortSignal.any([signal, limit.signal]);
    const outcome: RequestOutcome =
      running === null
        ? { ok: false, error: { code: REFUSED, message: 'its extension is not serving.', away: true } }
        : await running.request(method, JSON.stringify(params), signals, { answerer: limit.answerer, member });
    limit.end();
    return readAnswer(id, method, outcome);
  };

  const subscribe = async (id: string, uri: string): Promise<ServerAnswer> => {
    const known = subscribed.get(id) ?? { addresses: new Map<string, Subscribed>(), pid: null };
    subscribed.set(id, known);
    const ask = async (): Promise<ServerAnswer> => {
      const answer = await request(id, 'resources/subscribe', { uri }, AbortSignal.timeout(SUBSCRIBE_MS));
      known.pid ??= pidOf(id);
      return answer;
    };
    const address = known.addresses.get(uri) ?? { count: 0, answer: ask() };
    known.addresses.set(uri, address);
    address.count += 1;
    const answer = await address.answer;
    if (!answer.ok) forget(id, uri);
    return answer;
  };

  /** Whether it was the last subscription to this URI. */
  const forget = (id: string, uri: string): boolean => {
    const addresses = subscribed.get(id)?.addresses;
    const address = addresses?.get(uri);
    if (addresses === undefined || address === undefined) return false;
    address.count -= 1;
    if (address.count > 0) return false;
    addresses.delete(uri);
    if (addresses.size === 0) subscribed.delete(id);
    return true;
  };

  /** A new process of a server has no subscriptions, so they are renewed. */
  const renew = (): void => {
    for (const [id, known] of subscribed) {
      const pid = pidOf(id);
      if (pid === null || pid === known.pid) continue;
      known.pid = pid;
      for (const uri of known.addresses.keys()) void request(id, 'resources/subscribe', { uri });
    }
  };
  const unfollow = events.subscribeOwn(renew, ['snapshot.changed']);

  return {
    host: {
      list: () => registry.current().features,
      features(id) {
        const entry = registry.current().entries.get(id);
        return entry === undefined ? unknownExtension(id) : ok(entry.features ?? NO_FEATURES);
      },
      find(id) {
        const entry = registry.current().entries.get(id);
        if (entry === undefined) return unknownExtension(id);
        return entry.extension.kind === 'mcp' ? ok(null) : refuse('state_conflict', `The extension “${id}” is not an MCP server.`);
      },
      request,
      subscribe,
      unsubscribe(id, uri) {
        if (forget(id, uri)) void request(id, 'resources/unsubscribe', { uri });
      },
      onNotice(listener) {
        listeners.add(listener);
        return () => void listeners.delete(listener);
      },
    },
    noticed(notice) {
      for (const listener of listeners) listener(notice);
    },
    close() {
      unfollow();
      listeners.clear();
      subscribed.clear();
    },
  };
}

/** The time limit excludes the time that an answer takes. */
function createLimit(timeoutMs: number, answerer: Answerer | null) {
  const controller = new AbortController();
  let [open, leftMs, since] = [0, timeoutMs, performance.now()];
  const start = (): NodeJS.Timeout => setTimeout(() => controller.abort(), leftMs).unref();
  let timer = start();
  const answer = async (from: Answerer, ask: ClientAsk): Promise<AskReply> => {
    clearTimeout(timer);
    if (open === 0) leftMs -= performance.now() - since;
    open += 1;
    const reply = await from.answer(ask);
    open -= 1;
    if (open > 0) return reply;
    since = performance.now();
    timer = start();
    return reply;
  };
  return {
    signal: controller.signal,
    answerer: answerer === null ? undefined : { kinds: answerer.kinds, answer: (ask: ClientAsk) => answer(answerer, ask) },
    end: () => clearTimeout(timer),
  };
}

function readAnswer(id: string, method: ServerRequestMethod, outcome: RequestOutcome): ServerAnswer {
  if (!outcome.ok) {
    const { error } = outcome;
    return error.away === true
      ? { ok: false, error: { ...error, message: `The MCP server of “${id}” is not available: ${error.message}` } }
      : outcome;
  }
  const schema: z.ZodType<Readonly<Record<string, unknown>>> = ANSWERS[method];
  const parsed = schema.safeParse(parseExactJson(outcome.resultText));
  if (!parsed.success) {
    const [issue] = fieldIssues('The answer', schema, parsed.error.issues);
    const message = `The answer of the MCP server of “${id}” to ${method} is not valid MCP: ${issue?.message ?? ''}`;
    return { ok: false, error: { code: INTERNAL_ERROR, message } };
  }
  // These fields apply to one hop.
  const { resultType: _type, ttlMs: _ttl, cacheScope: _scope, ...value } = parsed.data;
  return { ok: true, value };
}
