import type { RequestHead } from '../request.ts';
import type { FoundToken } from '#lib/accounts/tokens.ts';
import type { TokenHolder } from '#lib/access/principal.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import { ok, refuse } from '#lib/contract/result.ts';
import type { Result } from '#lib/contract/result.ts';
import type { ClientAddress } from './client-address.ts';
import { networkOf } from './client-address.ts';
import type { CountElsewhere } from './wrong-attempts.ts';
import { createWrongAttempts } from './wrong-attempts.ts';

/**
 * `Authorization: Bearer swb_…` only, never the URL, which logs and histories keep. Wrong tokens are counted per address and
 * rate limited. Valid ones are not: they cannot be guessed, and one script with an old token must not lock out everyone behind
 * the same proxy.
 */
export interface BearerGuard {
  /** Null: no token was sent. */
  check(request: RequestHead): Promise<Result<TokenHolder> | null>;
}

export interface BearerGuardOptions {
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
