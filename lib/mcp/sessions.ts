import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { ASK_KINDS } from '#lib/contract/client-asks.ts';
import type { AskKind, AskReply, ClientAsk } from '#lib/contract/client-asks.ts';
import { ShortLivedMap } from '#lib/memory/short-lived.ts';
import type { McpHeaders } from '#lib/contract/mcp-exchange.ts';
import { refuse, ok } from '#lib/contract/result.ts';
import type { Result } from '#lib/contract/result.ts';
import {
  HEADERS,
  isLegacyVersion,
  LEGACY_VERSIONS,
  type McpLogLevel,
  MODERN_VERSION,
  type Refusal,
  type RequestId,
  RPC,
} from './protocol.ts';

/**
 * Sessions of the 2025 protocols. What can go wrong: this server restarts while clients are connected, and most do not open a new
 * session. So the id itself contains the session (version, client name, answerable questions), and sessions from before a restart
 * continue. Other state (log level, running calls, stream) is small, created on first use, and dropped for the least recently used
 * when there are very many. A restart also forgets that a session was ended; its id then starts it again. An id grants nothing:
 * anyone who can reach this server may open a session. With accounts it also contains the owner and is invalid for others; a forged
 * id only yields a session of the forger.
 */
export interface Session {
  readonly id: string;
  readonly version: string;
  readonly clientName: string | null;
  /** Null without accounts. */
  readonly owner: string | null;
  logLevel: McpLogLevel;
  /** Running calls by request id. */
  readonly calls: ShortLivedMap<RequestId, RunningRequest>;
  /** The stream opened by its `GET`. */
  stream: SessionStream | null;
  /** Questions that its client can answer. */
  readonly kinds: readonly AskKind[];
  /** Open questions by request id. */
  readonly asks: Map<string, { readonly ask: ClientAsk; settle(reply: AskReply): void }>;
  /** Subscribed resources, and how each subscription ends. */
  readonly subscriptions: Map<string, () => void>;
  /** Newest ids of elicitations by URL; and the servers that asked for its roots, with the member. */
  readonly elicitations: Set<string>;
  readonly rootsAskedBy: Map<string, string | undefined>;
}

export interface SessionStream {
  send(message: SessionMessage): void;
  end(): void;
}

/** A notification, or a question with its id. */
export interface SessionMessage {
  readonly id?: string | undefined;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

export interface RunningRequest {
  cancel(): void;
}

export interface Sessions {
  open(version: string, clientName: string | null, owner: string | null, kinds?: readonly AskKind[]): Session;
  /** Null for an invalid id, an ended session, and a session of another owner. */
  find(id: string, owner: string | null): Session | null;
  end(session: Session): void;
  /** Null: not used on this server yet. */
  known(id: string): Session | null;
  isEnded(id: string): boolean;
  /** On the stream of the session, which another server may have. */
  send(session: Session, message: SessionMessage): void;
  /** A message about state of this session on another server. */
  passOn(session: Session, change: SessionChange): void;
  all(): Iterable<Session>;
}

export type SessionChange =
  | { readonly do: 'level'; readonly level: McpLogLevel }
  | { readonly do: 'cancel'; readonly request: RequestId }
  | { readonly do: 'answer'; readonly to: string; readonly reply: AskReply }
  | { readonly do: 'unsubscribe'; readonly uri: string }
  | { readonly do: 'roots' }
  | { readonly do: 'send'; readonly message: SessionMessage };

export interface SessionsOptions {
  /** Maximum number. */
  readonly kept?: number;
  passOn?(session: Session, change: SessionChange): void;
}

const KEPT = 10_000;
const ID = /^([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})\.([\w-]{1,800})$/;
const factsSchema = z.union([
  z.tuple([z.enum(LEGACY_VERSIONS), z.string().nullable()]),
  z.tuple([z.enum(LEGACY_VERSIONS), z.string().nullable(), z.string()]),
  z.tuple([z.enum(LEGACY_VERSIONS), z.string().nullable(), z.string().nullable(), z.array(z.enum(ASK_KINDS)).max(ASK_KINDS.length)]),
]);

export function createSessions({ kept = KEPT, passOn = () => undefined }: SessionsOptions = {}): Sessions {
  const sessions = new Map<string, Session>();
  const ended = new Set<string>();

  const keep = (id: string, version: string, clientName: string | null, owner: string | null, kinds: readonly AskKind[]): Session => {
    const session: Session = {
      id,
      version,
      clientName,
      owner,
      logLevel: 'info',
      calls: new ShortLivedMap(),
      stream: null,
      kinds,
      asks: new Map(),
      subscriptions: new Map(),
      elicitations: new Set(),
      rootsAskedBy: new Map(),
    };
    sessions.set(id, session);
    if (sessions.size > kept) forgetOne();
    return session;
  };

  const forgetOne = (): void => {
    for (const [id, session] of sessions) {
      if (session.calls.size > 0 || session.stream !== null) continue;
      sessions.delete(id);
      endSubscriptions(session);
      return;
    }
  };

  const endSubscriptions = ({ subscriptions }: Session): void => {
    for (const release of subscriptions.values()) release();
    subscriptions.clear();
  };

  return {
    open(version, clientName, owner, kinds = []) {
      const plain = owner === null ? [version, clientName] : [version, clientName, owner];
      const facts = JSON.stringify(kinds.length === 0 ? plain : [version, clientName, owner, kinds]);
      return keep(`${randomUUID()}.${Buffer.from(facts).toString('base64url')}`, version, clientName, owner, kinds);
    },
    find(id, owner) {
      const known = sessions.get(id);
      if (known !== undefined) {
        if (known.owner !== owner) return null;
        sessions.delete(id);
        sessions.set(id, known);
        return known;
      }
      const facts = ended.has(id) ? null : readFacts(id);
      if (facts === null) return null;
      const [version, clientName, whose = null, kinds = []] = facts;
      return whose === owner ? keep(id, version, clientName, whose, kinds) : null;
    },
    end(session) {
      sessions.delete(session.id);
      ended.add(session.id);
      const [oldest] = ended;
      if (ended.size > kept && oldest !== undefined) ended.delete(oldest);
      session.stream?.end();
      endSubscriptions(session);
      for (const call of session.calls.values()) call.cancel();
    },
    known: (id) => sessions.get(id) ?? null,
    isEnded: (id) => ended.has(id),
    send(session, message) {
      if (session.stream === null) passOn(session, { do: 'send', message });
      else session.stream.send(message);
    },
    passOn,
    all: () => sessions.values(),
  };
}

function readFacts(id: string): z.infer<typeof factsSchema> | null {
  const facts = ID.exec(id)?.[2];
  if (facts === undefined) return null;
  try {
    const read = factsSchema.safeParse(JSON.parse(Buffer.from(facts, 'base64url').toString('utf8')));
    return read.success ? read.data : null;
  } catch {
    return null;
  }
}

type SessionFound =
  /** Null for clients without a session, which is allowed. */
  { readonly ok: true; readonly session: Session | null } | { readonly ok: false; readonly refusal: Refusal };

const OVER = 'This session has ended or never existed. Start a new one with initialize.';

/** Session of a message of the 2025 protocols, by its headers. */
export function findSession(sessions: Sessions, headers: McpHeaders, isInitialize: boolean): SessionFound {
  const version = unservedVersion(headers);
  if (version !== null) {
    const served = [MODERN_VERSION, ...LEGACY_VERSIONS].join(', ');
    const message = `Protocol version "${version}" is not served here (served: ${served}).`;
    return { ok: false, refusal: { status: 400, code: RPC.refused, message } };
  }
  const id = headers.header(HEADERS.session);
  if (id === undefined || isInitialize) return { ok: true, session: null };
  const session = sessions.find(id, headers.caller.key);
  return session === null ? { ok: false, refusal: { status: 404, code: RPC.sessionNotFound, message: OVER } } : { ok: true, session };
}

/** Session for a stream or a termination; the transport answers rejections. */
export function findOwnSession(sessions: Sessions, headers: McpHeaders): Result<Session> {
  const version = unservedVersion(headers);
  if (version !== null)
    return refuse('method_not_allowed', `With protocol version ${version} only POST is used here; subscriptions/listen opens a stream.`, {
      extra: { allow: ['POST'] },
    });
  const id = headers.header(HEADERS.session);
  if (id === undefined)
    return refuse(
      'request_malformed',
      `This is the MCP endpoint for agents. The header ${HEADERS.session} is missing: a session begins with initialize.`,
    );
  const session = sessions.find(id, headers.caller.key);
  return session === null ? refuse('not_found', OVER) : ok(session);
}

/** The error message for its sender. */
function unservedVersion(headers: McpHeaders): string | null {
  const version = headers.header(HEADERS.protocolVersion)?.trim();
  return version === undefined || isLegacyVersion(version) ? null : version.slice(0, 40);
}
