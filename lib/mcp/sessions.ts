import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { ShortLivedMap } from '#lib/memory/short-lived.ts';
import type { RequestId } from './json-rpc.ts';
import { LEGACY_VERSIONS } from './protocol.ts';
import type { McpLogLevel } from './protocol.ts';

/**
 * Sessions of the 2025 protocols. What can go wrong: this server is started again while clients are connected, and most
 * of them do not open a new session by themselves; so the id itself says what a session is (version, name of the client)
 * and one that was made before the start is taken up again. What else is kept of a session (level of its log, calls that
 * run, its stream) is little, made at first use, and forgotten for those unused longest when there are very many; so
 * is, with a start, that one was ended, and then its id begins it anew. An id
 * is no right: whoever may reach this server may open a session. With accounts it also says whose session it is, and is
 * none for anybody else; who forges one that says it is his has made himself a session, which he may.
 */
export interface Session {
  readonly id: string;
  readonly version: string;
  readonly clientName: string | null;
  /** Null where there are no accounts. */
  readonly owner: string | null;
  logLevel: McpLogLevel;
  /** Calls that run, by the id of their request. */
  readonly calls: ShortLivedMap<RequestId, RunningRequest>;
  /** The one that its `GET` opened. */
  stream: SessionStream | null;
  /** Resources that it asked to be told of. */
  readonly subscriptions: Set<string>;
}

export interface SessionStream {
  send(method: string, params: Readonly<Record<string, unknown>>): void;
  end(): void;
}

export interface RunningRequest {
  cancel(): void;
}

export interface Sessions {
  open(version: string, clientName: string | null, owner: string | null): Session;
  /** Null for an id that is none, for a session that was ended, and for somebody else's. */
  find(id: string, owner: string | null): Session | null;
  end(session: Session): void;
  all(): Iterable<Session>;
}

const KEPT = 10_000;
const ID = /^([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})\.([\w-]{1,800})$/;
const factsSchema = z.union([
  z.tuple([z.enum(LEGACY_VERSIONS), z.string().nullable()]),
  z.tuple([z.enum(LEGACY_VERSIONS), z.string().nullable(), z.string()]),
]);

export function createSessions(kept = KEPT): Sessions {
  const sessions = new Map<string, Session>();
  const ended = new Set<string>();

  const keep = (id: string, version: string, clientName: string | null, owner: string | null): Session => {
    const session: Session = {
      id,
      version,
      clientName,
      owner,
      logLevel: 'info',
      calls: new ShortLivedMap(),
      stream: null,
      subscriptions: new Set(),
    };
    sessions.set(id, session);
    if (sessions.size > kept) forgetOne();
    return session;
  };

  const forgetOne = (): void => {
    for (const [id, session] of sessions) {
      if (session.calls.size > 0 || session.stream !== null) continue;
      sessions.delete(id);
      return;
    }
  };

  return {
    open(version, clientName, owner) {
      const facts = JSON.stringify(owner === null ? [version, clientName] : [version, clientName, owner]);
      return keep(`${randomUUID()}.${Buffer.from(facts).toString('base64url')}`, version, clientName, owner);
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
      const [version, clientName, whose = null] = facts;
      return whose === owner ? keep(id, version, clientName, whose) : null;
    },
    end(session) {
      sessions.delete(session.id);
      ended.add(session.id);
      const [oldest] = ended;
      if (ended.size > kept && oldest !== undefined) ended.delete(oldest);
      session.stream?.end();
      for (const call of session.calls.values()) call.cancel();
    },
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
