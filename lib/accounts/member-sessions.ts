import type { Member } from '#lib/access/principal.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import type { AccountRepository, SessionChoice, SessionRow } from '#lib/store/account-store.ts';

/**
 * Sessions. What can go wrong:
 * - every request needs one: lookups are cached, and a change clears the cache;
 * - a role changes, a member is deactivated or signs out everywhere: the sessions are deleted before the answer, and listeners
 *   close their streams;
 * - a cookie is stolen: a session ends twelve hours after its last use and seven days after the sign-in;
 * - every request would write its last use: it is written once a minute.
 */
export interface MemberSessions {
  find(token: string): Promise<Member | null>;
  /** Resolves to the number of sessions. */
  end(which: SessionChoice): Promise<number>;
  /** Clears the cache after a change of name or role. */
  forget(): void;
  /** Reports sessions ended elsewhere. */
  ended(sessionIds: readonly string[]): void;
  /** Deletes expired sessions, and a person's oldest ones beyond the limit. */
  tidy(memberId: string | null): Promise<void>;
  onEnded(listener: (sessionId: string) => void): () => void;
}

export interface MemberSessionsOptions {
  readonly repository: AccountRepository;
  onError(error: unknown): void;
  now?(): number;
}

interface CachedSession {
  readonly member: Member;
  readonly startedAt: number;
  usedAt: number;
  /** Last stored use; null: never. */
  notedAt: number | null;
}

const USE_NOTED_MS = 60_000;
const MOST_CACHED = 1_000;

export function createMemberSessions({ repository, onError, now = Date.now }: MemberSessionsOptions): MemberSessions {
  const cache = new Map<string, CachedSession>();
  const listeners = new Set<(sessionId: string) => void>();
  /** A row that was read before the last change is not kept. */
  let changes = 0;

  const forget = (): void => {
    changes += 1;
    cache.clear();
  };

  const keep = (row: SessionRow, mayStay: boolean): CachedSession => {
    const { id, name, email, role } = row.member;
    const fresh: CachedSession = {
      member: { kind: 'member', id, name, email, role, sessionId: row.id },
      startedAt: row.startedAt,
      usedAt: row.usedAt ?? row.startedAt,
      notedAt: row.usedAt,
    };
    if (cache.size >= MOST_CACHED) cache.clear();
    if (mayStay) cache.set(row.token, fresh);
    return fresh;
  };

  const known = async (token: string): Promise<CachedSession | null> => {
    const there = cache.get(token);
    if (there !== undefined) return there;
    const before = changes;
    const row = await repository.session(token);
    return row === null || !row.member.active ? null : keep(row, changes === before);
  };

  const ended = (sessionIds: readonly string[]): void => {
    forget();
    for (const id of sessionIds) for (const listener of listeners) listener(id);
  };

  const end = async (which: SessionChoice): Promise<number> => {
    const ids = await repository.endSessions(which);
    ended(ids);
    return ids.length;
  };

  return {
    async find(token) {
      const session = await known(token);
      if (session === null) return null;
      const at = now();
      if (at - session.usedAt >= LIMITS.sessionIdleMs || at - session.startedAt >= LIMITS.sessionMostMs) {
        cache.delete(token);
        end({ id: session.member.sessionId }).catch(onError);
        return null;
      }
      session.usedAt = at;
      if (session.notedAt === null || at - session.notedAt >= USE_NOTED_MS) {
        session.notedAt = at;
        repository.noteUse(session.member.sessionId, session.member.id, at).catch(onError);
      }
      return session.member;
    },
    end,
    ended,
    forget,
    async tidy(memberId) {
      const at = now();
      ended(
        await repository.sweep({
          memberId: memberId ?? '',
          mostOfMember: LIMITS.sessionsPerMember,
          startedBefore: at - LIMITS.sessionMostMs,
          usedBefore: at - LIMITS.sessionIdleMs,
          now: at,
        }),
      );
    },
    onEnded(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
