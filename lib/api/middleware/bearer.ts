import type { RequestHead } from '../request.ts';
import type { FoundToken } from '#lib/accounts/tokens.ts';
import type { TokenHolder } from '#lib/access/principal.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import { ok, refuse } from '#lib/contract/result.ts';
import type { Result } from '#lib/contract/result.ts';
import type { ClientAddress } from './client-address.ts';
import { networkOf } from './client-address.ts';
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
  /** Notified of each rejected token. */
  onWrong(found: Exclude<FoundToken, { kind: 'works' }>, request: RequestHead): void;
  readonly monotonicNow?: () => number;
}

const BEARER = /^bearer +(\S+)$/i;

const WHY: Readonly<Record<Exclude<FoundToken['kind'], 'works'>, string>> = {
  unknown: 'The token in Authorization is unknown.',
  expired: 'The token in Authorization has expired.',
  revoked: 'The token in Authorization was revoked.',
  owner_inactive: 'The owner of the token in Authorization is deactivated.',
};

export function createBearerGuard({ find, addressOf, onWrong, monotonicNow }: BearerGuardOptions): BearerGuard {
  const attempts = createWrongAttempts(LIMITS.tokenAttemptsPerMinute, monotonicNow);
  return {
    async check(request) {
      const { authorization } = request.headers;
      if (authorization === undefined || !/^bearer\b/i.test(authorization)) return null;
      const text = BEARER.exec(authorization)?.[1];
      const found: FoundToken = text === undefined ? { kind: 'unknown', token: null } : await find(text);
      if (found.kind === 'works') return ok(found.holder);
      onWrong(found, request);
      const network = networkOf(addressOf(request));
      const seconds = attempts.waitOf(network);
      if (seconds > 0)
        return refuse('too_many_attempts', `Too many wrong tokens from this address. Try again in ${seconds} s.`, { retryAfter: seconds });
      attempts.count(network);
      return refuse('sign_in_needed', `${WHY[found.kind]} Ask an admin of this server for a new one.`, {
        extra: { error: 'invalid_token', token: found.kind },
      });
    },
  };
}
