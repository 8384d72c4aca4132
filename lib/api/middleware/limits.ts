import type { Principal } from '#lib/access/principal.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import { ok, refuse } from '#lib/contract/result.ts';
import type { Result } from '#lib/contract/result.ts';
import type { RequestRate } from '#lib/host/config.ts';
import { headOf } from '../request.ts';
import type { Check, RequestHead } from '../request.ts';
import type { Route } from '../route.ts';
import type { ClientAddress } from './client-address.ts';

/**
 * Rate limits per address or per team token: token buckets for calls and for writes, and a limit of concurrent requests for
 * both. Reads are not limited. It is on the hot path, so it is one lookup and a few sums. What can go wrong: a flood from ever
 * new addresses must not fill the memory, so only the latest are kept; one with running requests is never dropped.
 */
export interface RequestLimits {
  /** Null: not counted. Otherwise call it once when the request is over. */
  enter(route: Pick<Route, 'limitClass'>, address: string): Result<(() => void) | null>;
  /** For a request with `count` further calls. */
  takeCalls(address: string, count: number): Result<null>;
  /** Since the start. */
  refused(): Readonly<Record<LimitName, number>>;
}

export type LimitName = 'calls' | 'writes' | 'concurrent';

export interface RequestLimitsOptions {
  readonly callRate: RequestRate | null;
  readonly writeRate: RequestRate | null;
  /** 0: no limit. */
  readonly concurrentRequests: number;
  /** Key of the counter; by default an address. */
  readonly of?: 'address' | 'token';
  readonly monotonicNow?: () => number;
}

interface Bucket {
  left: number;
  at: number;
}

interface Client {
  readonly calls: Bucket;
  readonly writes: Bucket;
  active: number;
}

const MOST_ADDRESSES = 10_000;
/** How many of the oldest are searched for one to drop. */
const SEARCHED = 100;

export function createRequestLimits(options: RequestLimitsOptions): RequestLimits {
  const { callRate, writeRate, concurrentRequests, of = 'address', monotonicNow: now = () => performance.now() } = options;
  const isOff = callRate === null && writeRate === null && concurrentRequests === 0;
  const clients = new Map<string, Client>();
  const counts = { calls: 0, writes: 0, concurrent: 0 };

  function clientAt(address: string, time: number): Client {
    const known = clients.get(address);
    if (known !== undefined) return known;
    const fresh: Client = {
      calls: { left: callRate?.count ?? 0, at: time },
      writes: { left: writeRate?.count ?? 0, at: time },
      active: 0,
    };
    clients.set(address, fresh);
    if (clients.size > MOST_ADDRESSES) forgetOne(address);
    return fresh;
  }

  function forgetOne(but: string): void {
    let looked = 0;
    for (const [address, { active }] of clients) {
      if (active === 0 && address !== but) {
        clients.delete(address);
        return;
      }
      looked += 1;
      if (looked === SEARCHED) return;
    }
  }

  function take(kind: 'calls' | 'writes', client: Client, time: number, count: number): Result<null> {
    const rate = kind === 'calls' ? callRate : writeRate;
    if (rate === null) return ok(null);
    const bucket = client[kind];
    bucket.left = Math.min(rate.count, bucket.left + ((time - bucket.at) * rate.count) / rate.perMs);
    bucket.at = time;
    // A request larger than the bucket passes when it is full, and leaves a debt.
    if (bucket.left >= Math.min(count, rate.count)) {
      bucket.left -= count;
      return ok(null);
    }
    counts[kind] += 1;
    const missing = Math.min(count, rate.count) - bucket.left;
    const retryAfter = Math.max(1, Math.ceil((missing * rate.perMs) / rate.count / 1_000));
    const unit = rate.perMs === 1_000 ? 's' : rate.perMs === 60_000 ? 'min' : 'h';
    return refuse(
      'too_many_requests',
      of === 'token'
        ? `Rate limit: this token may send ${rate.count} ${kind}/${unit}. Try again in ${retryAfter} s.`
        : `Rate limit: this address may send ${rate.count} ${kind}/${unit}. Try again in ${retryAfter} s; RATE_LIMIT_${kind.toUpperCase()} sets the limit.`,
      { retryAfter },
    );
  }

  return {
    enter(route, address) {
      const kind = isOff ? null : route.limitClass;
      if (kind === null) return ok(null);
      const time = now();
      const client = clientAt(address, time);
      if (concurrentRequests > 0 && client.active >= concurrentRequests) {
        counts.concurrent += 1;
        return refuse(
          'too_many_requests',
          `${concurrentRequests} requests of this address are running, the maximum. Wait for some to end; CONCURRENT_REQUESTS sets the limit.`,
          { retryAfter: 1 },
        );
      }
      const taken = take(kind, client, time, 1);
      if (!taken.ok) return taken;
      if (concurrentRequests === 0) return taken;
      client.active += 1;
      return ok(() => {
        client.active -= 1;
      });
    },
    takeCalls(address, count) {
      if (isOff || count <= 0) return ok(null);
      const time = now();
      return take('calls', clientAt(address, time), time, count);
    },
    refused: () => ({ ...counts }),
  };
}

/** Limits of a caller: by address, and for a token also by token. */
export interface CallerLimits {
  /** Null: not counted. Otherwise call it once when the request is over. */
  enter(route: Pick<Route, 'limitClass'>, request: RequestHead, principal: Principal): Result<(() => void) | null>;
  /** For a request with `count` further calls. */
  takeCalls(request: RequestHead, principal: Principal, count: number): Result<null>;
  /** Since the start. */
  refused(): Readonly<Record<LimitName | 'token', number>>;
}

export function createCallerLimits(
  { callRate, writeRate, concurrentRequests }: Pick<RequestLimitsOptions, 'callRate' | 'writeRate' | 'concurrentRequests'>,
  addressOf: ClientAddress,
): CallerLimits {
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

export function limitRate(route: Route, limits: CallerLimits): Check {
  return (context) => {
    const entered = limits.enter(route, headOf(context), context.var.principal);
    if (entered.ok) context.set('leave', entered.value);
    return entered;
  };
}
