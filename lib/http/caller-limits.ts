import type { IncomingMessage } from 'node:http';
import type { Principal } from '#lib/access/principal.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import { ok } from '#lib/contract/result.ts';
import type { Result } from '#lib/contract/result.ts';
import type { RequestRate } from '#lib/host/config.ts';
import type { ClientAddress } from './client-address.ts';
import { createRequestLimits } from './request-limits.ts';
import type { LimitName } from './request-limits.ts';
import type { Route } from './routes.ts';

/** How much a caller may ask for: by his address, and where he comes with a token, also by that. */
export interface CallerLimits {
  /** Null: not counted. Otherwise what must be called once, when the request is over. */
  enter(route: Route, request: IncomingMessage, principal: Principal): Result<(() => void) | null>;
  /** For a request that turns out to hold `count` more calls. */
  takeCalls(request: IncomingMessage, principal: Principal, count: number): Result<null>;
  /** Since the start. */
  refused(): Readonly<Record<LimitName | 'token', number>>;
}

export interface CallerLimitsOptions {
  readonly callRate: RequestRate | null;
  readonly writeRate: RequestRate | null;
  readonly concurrentRequests: number;
}

export function createCallerLimits(options: CallerLimitsOptions, addressOf: ClientAddress): CallerLimits {
  const { callRate, writeRate, concurrentRequests } = options;
  const ofAddress = createRequestLimits({ callRate, writeRate, concurrentRequests });
  const ofToken = createRequestLimits({
    callRate: { count: LIMITS.callsPerSecondOfToken, perMs: 1_000 },
    writeRate: null,
    concurrentRequests: 0,
    of: 'token',
  });
  return {
    enter(route, request, principal) {
      const own = principal.kind === 'token' ? ofToken.enter(route, principal.id) : ok(null);
      return own.ok ? ofAddress.enter(route, addressOf(request)) : own;
    },
    takeCalls(request, principal, count) {
      const own = principal.kind === 'token' ? ofToken.takeCalls(principal.id, count) : ok(null);
      return own.ok ? ofAddress.takeCalls(addressOf(request), count) : own;
    },
    refused: () => ({ ...ofAddress.refused(), token: ofToken.refused().calls }),
  };
}
