import { hash, timingSafeEqual } from 'node:crypto';
import { LIMITS } from '#lib/contract/limits.ts';
import { ok, refuse, type Result } from '#lib/contract/result.ts';
import type { FoundToken } from '#lib/accounts/tokens.ts';
import type { TokenHolder } from '#lib/access/principal.ts';
import type { RequestHead } from '../request.ts';
import { type ClientAddress, networkOf } from './client-address.ts';

/**
 * The admin token. Wrong tokens are counted per address, which slows guessing; hashes of equal length are compared in constant
 * time, which leaks neither length nor prefix; and the token is kept only here and in the configuration.
 */

/** True without a token: then administration is open, on loopback only. */
export function isAdminToken(given: string | null | undefined, token: string | null): boolean {
  if (token === null) return true;
  if (given === null || given === undefined) return false;
  return timingSafeEqual(hash('sha256', given, 'buffer'), hash('sha256', token, 'buffer'));
}

export type AdminGuard = ReturnType<typeof createAdminGuard>;

export function createAdminGuard(token: string | null, monotonicNow?: () => number, countElsewhere?: CountElsewhere) {
  const attempts = createWrongAttempts(LIMITS.adminAttemptsPerMinute, monotonicNow, countElsewhere);
  return {
    /** Authorizes an administrative request from `address`; a missing token does not count as a guess. */
    check(given: string | undefined, address: string): Result<null> {
      if (token === null) return ok(null);
      const wait = attempts.checkWait('admin tokens', address);
      if (!wait.ok || isAdminToken(given, token)) return wait;
      if (given !== undefined) attempts.count(address);
      return refuse('admin_token_invalid', 'invalid admin token');
    },
  };
}

/**
 * `Authorization: Bearer swb_…` only, never the URL, which logs and histories keep. Wrong tokens are counted per address and
 * rate limited. Valid ones are not: they cannot be guessed, and one script with an old token must not lock out everyone behind
 * the same proxy. Nor are expired ones: those of OAuth expire every hour, and 429 would hide from their client that it must
 * refresh.
 */
interface BearerGuardOptions {
  find(text: string): Promise<FoundToken>;
  readonly addressOf: ClientAddress;
  /** Address of the request as audience of tokens; null if it is for no agents. */
  resourceOf(request: RequestHead): string | null;
  onWrong(found: Exclude<FoundToken, { kind: 'works' }>, request: RequestHead): void;
  readonly monotonicNow?: () => number;
  readonly countElsewhere?: CountElsewhere;
}

const BEARER = /^bearer +(\S+)$/i;

const WHY: Readonly<Record<Exclude<FoundToken['kind'], 'works'>, string>> = {
  unknown: 'The token in Authorization is unknown.',
  expired: 'The token in Authorization has expired.',
  revoked: 'The token in Authorization was revoked.',
  owner_inactive: 'The owner of the token in Authorization is deactivated.',
  wrong_audience: 'The token in Authorization is for another address.',
};

export function createBearerGuard({ find, addressOf, resourceOf, onWrong, monotonicNow, countElsewhere }: BearerGuardOptions) {
  const attempts = createWrongAttempts(LIMITS.tokenAttemptsPerMinute, monotonicNow, countElsewhere);
  return {
    /** Null: no token was sent. */
    async check(request: RequestHead): Promise<Result<TokenHolder> | null> {
      const { authorization } = request.headers;
      if (authorization === undefined || !/^bearer\b/i.test(authorization)) return null;
      const text = BEARER.exec(authorization)?.[1];
      const known: FoundToken = text === undefined ? { kind: 'unknown', token: null } : await find(text);
      // A token of OAuth has one audience (RFC 8707).
      const isElsewhere = known.kind === 'works' && known.holder.oauth !== undefined && known.holder.oauth.resource !== resourceOf(request);
      const found = isElsewhere ? { kind: 'wrong_audience' as const, token: null } : known;
      if (found.kind === 'works') return ok(found.holder);
      onWrong(found, request);
      if (found.kind !== 'expired') {
        const network = networkOf(addressOf(request));
        const wait = attempts.checkWait('tokens', network);
        if (!wait.ok) return wait;
        attempts.count(network);
      }
      return refuse('sign_in_needed', `${WHY[found.kind]} Sign in again, or ask an admin of this server for a new one.`, {
        extra: { error: 'invalid_token', token: found.kind },
      });
    },
  };
}

const MINUTE_MS = 60_000;
const MOST_ADDRESSES = 10_000;

interface Attempts {
  readonly wrong: number;
  /** Monotonic milliseconds. */
  readonly since: number;
}

/** Counts a wrong attempt on all servers that share a database; null: there is one. */
export type CountElsewhere = (address: string, windowMs: number) => Promise<{ readonly count: number; readonly ageMs: number }> | null;

/**
 * Wrong secrets of one kind, counted per address for a minute from the first, to slow guessing. A flood from many addresses
 * must not fill the memory, so only the latest are kept.
 */
function createWrongAttempts(
  most: number,
  monotonicNow: () => number = () => performance.now(),
  countElsewhere: CountElsewhere = () => null,
) {
  const attempts = new Map<string, Attempts>();

  /** Each server refuses once it knows of too many: what another one counted, it learns with its own next one. */
  async function learn(address: string): Promise<void> {
    const all = await countElsewhere(address, MINUTE_MS);
    const known = attempts.get(address);
    if (all !== null && known !== undefined && all.count > known.wrong)
      attempts.set(address, { wrong: all.count, since: monotonicNow() - all.ageMs });
  }

  return {
    checkWait(secrets: string, address: string): Result<null> {
      const { wrong, since } = attempts.get(address) ?? { wrong: 0, since: 0 };
      const retryAfter = Math.ceil((since + MINUTE_MS - monotonicNow()) / 1_000);
      if (wrong < most || retryAfter <= 0) return ok(null);
      return refuse('too_many_attempts', `Too many wrong ${secrets} from this address. Try again in ${retryAfter} s.`, { retryAfter });
    },
    count(address: string): void {
      const now = monotonicNow();
      const known = attempts.get(address);
      const isOver = known === undefined || now - known.since >= MINUTE_MS;
      attempts.delete(address);
      attempts.set(address, isOver ? { wrong: 1, since: now } : { ...known, wrong: known.wrong + 1 });
      const [oldest = ''] = attempts.keys();
      if (attempts.size > MOST_ADDRESSES) attempts.delete(oldest);
      learn(address).catch(() => undefined);
    },
  };
}
