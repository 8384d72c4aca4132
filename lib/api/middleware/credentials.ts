import { createHash, timingSafeEqual } from 'node:crypto';
import { LIMITS } from '#lib/contract/limits.ts';
import { ok, refuse } from '#lib/contract/result.ts';
import type { Result } from '#lib/contract/result.ts';
import type { FoundToken } from '#lib/accounts/tokens.ts';
import type { TokenHolder } from '#lib/access/principal.ts';
import type { RequestHead } from '../request.ts';
import type { ClientAddress } from './client-address.ts';
import { networkOf } from './client-address.ts';

/**
 * The admin token. Wrong tokens are counted per address, which slows guessing; hashes of equal length are compared in constant
 * time, which leaks neither length nor prefix; and the token is kept only here and in the configuration. The authorization
 * middleware counts; route handlers check again without counting, so none depends on the middleware alone.
 */

/** True without a token: then administration is open, on loopback only. */
export function isAdminToken(given: string | null | undefined, token: string | null): boolean {
  if (token === null) return true;
  if (given === null || given === undefined) return false;
  return timingSafeEqual(digest(given), digest(token));
}

function refuseAdminToken(): Result<never> {
  return refuse('admin_token_invalid', 'invalid admin token');
}

export interface AdminGuard {
  /** Authorizes an administrative request from `address`; a missing token does not count as a guess. */
  check(given: string | undefined, address: string): Result<null>;
}

export function createAdminGuard(token: string | null, monotonicNow?: () => number, countElsewhere?: CountElsewhere): AdminGuard {
  const attempts = createWrongAttempts(LIMITS.adminAttemptsPerMinute, monotonicNow, countElsewhere);
  return {
    check(given, address) {
      if (token === null) return ok(null);
      const seconds = attempts.waitOf(address);
      if (seconds > 0) {
        return refuse('too_many_attempts', `Too many wrong admin tokens from this address. Try again in ${seconds} s.`, {
          retryAfter: seconds,
        });
      }
      if (isAdminToken(given, token)) return ok(null);
      if (given !== undefined) attempts.count(address);
      return refuseAdminToken();
    },
  };
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/**
 * `Authorization: Bearer swb_…` only, never the URL, which logs and histories keep. Wrong tokens are counted per address and
 * rate limited. Valid ones are not: they cannot be guessed, and one script with an old token must not lock out everyone behind
 * the same proxy.
 */
interface BearerGuard {
  /** Null: no token was sent. */
  check(request: RequestHead): Promise<Result<TokenHolder> | null>;
}

interface BearerGuardOptions {
  find(text: string): Promise<FoundToken>;
  readonly addressOf: ClientAddress;
  /** Address of the request as audience of tokens; null if it is for no agents. */
  resourceOf(request: RequestHead): string | null;
  /** Notified of each rejected token. */
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

/** A token of OAuth has one audience (RFC 8707). */
function isElsewhere(found: FoundToken, resource: string | null): boolean {
  return found.kind === 'works' && found.holder.oauth !== undefined && found.holder.oauth.resource !== resource;
}

export function createBearerGuard({ find, addressOf, resourceOf, onWrong, monotonicNow, countElsewhere }: BearerGuardOptions): BearerGuard {
  const attempts = createWrongAttempts(LIMITS.tokenAttemptsPerMinute, monotonicNow, countElsewhere);
  return {
    async check(request) {
      const { authorization } = request.headers;
      if (authorization === undefined || !/^bearer\b/i.test(authorization)) return null;
      const text = BEARER.exec(authorization)?.[1];
      const known: FoundToken = text === undefined ? { kind: 'unknown', token: null } : await find(text);
      const found = isElsewhere(known, resourceOf(request)) ? { kind: 'wrong_audience' as const, token: null } : known;
      if (found.kind === 'works') return ok(found.holder);
      onWrong(found, request);
      const network = networkOf(addressOf(request));
      const seconds = attempts.waitOf(network);
      if (seconds > 0)
        return refuse('too_many_attempts', `Too many wrong tokens from this address. Try again in ${seconds} s.`, { retryAfter: seconds });
      attempts.count(network);
      return refuse('sign_in_needed', `${WHY[found.kind]} Sign in again, or ask an admin of this server for a new one.`, {
        extra: { error: 'invalid_token', token: found.kind },
      });
    },
  };
}

/**
 * Wrong secrets of one kind, counted per address for a minute from the first, to slow guessing. A flood from many addresses
 * must not fill the memory, so only the latest are kept.
 */
interface WrongAttempts {
  /** Seconds to wait; 0: allowed. */
  waitOf(address: string): number;
  count(address: string): void;
}

const MINUTE_MS = 60_000;
const MOST_ADDRESSES = 10_000;

interface Attempts {
  wrong: number;
  /** Monotonic milliseconds. */
  readonly since: number;
}

/** Counts a wrong attempt on all servers that share a database; null: there is one. */
export type CountElsewhere = (address: string, windowMs: number) => Promise<{ readonly count: number; readonly ageMs: number }> | null;

function createWrongAttempts(
  most: number,
  monotonicNow: () => number = () => performance.now(),
  countElsewhere: CountElsewhere = () => null,
): WrongAttempts {
  const attempts = new Map<string, Attempts>();

  /** Each server refuses once it knows of too many: what another one counted, it learns with its own next one. */
  function learn(address: string): void {
    countElsewhere(address, MINUTE_MS)
      ?.then(({ count, ageMs }) => {
        const known = attempts.get(address);
        if (known !== undefined && count > known.wrong) attempts.set(address, { wrong: count, since: monotonicNow() - ageMs });
      })
      .catch(() => undefined);
  }

  return {
    waitOf(address) {
      const known = attempts.get(address);
      if (known === undefined || known.wrong < most) return 0;
      return Math.max(0, Math.ceil((known.since + MINUTE_MS - monotonicNow()) / 1_000));
    },
    count(address) {
      const now = monotonicNow();
      const known = attempts.get(address);
      if (known !== undefined && now - known.since < MINUTE_MS) {
        known.wrong += 1;
        return learn(address);
      }
      attempts.delete(address);
      attempts.set(address, { wrong: 1, since: now });
      learn(address);
      if (attempts.size <= MOST_ADDRESSES) return;
      const oldest = attempts.keys().next().value;
      if (oldest !== undefined) attempts.delete(oldest);
    },
  };
}
