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
 * How much one address, or one token of a team, may ask for: calls and writes each by a bucket that fills up again, and both together by how many
 * are under way. Reading is not counted. On the path of every call, so it is one look-up and a few sums. What can go
 * wrong: a flood from ever new addresses must not fill the memory, so only the latest are known; one that is under way
 * is never forgotten, as its end must find it.
 */
export interface RequestLimits {
  /** Null: not counted. Otherwise what must be called once, when the request is over. */
  enter(route: Pick<Route, 'limitClass'>, address: string): Result<(() => void) | null>;
  /** For a request that turns out to hold `count` more calls. */
  takeCalls(address: string, count: number): Result<null>;
  /** Since the start. */
  refused(): Readonly<Record<LimitName, number>>;
}

export type LimitName = 'calls' | 'writes' | 'concurrent';

export interface RequestLimitsOptions {
  readonly callRate: RequestRate | null;
  readonly writeRate: RequestRate | null;
  /** 0 for no limit. */
  readonly concurrentRequests: number;
  /** Whose requests are counted together; an address, unless it is said. */
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
/** How far the oldest are searched for one that may be forgotten. */
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
    // More than ever fits at once passes when the bucket is full, and has to be waited for afterwards.
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
        ? `More ${kind} came with this token than the ${rate.count}/${unit} that one may make. Go on in ${retryAfter} s.`
        : `More ${kind} came from this address than the ${rate.count}/${unit} that it may make. Go on in ${retryAfter} s; RATE_LIMIT_${kind.toUpperCase()} sets the limit.`,
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
          `${concurrentRequests} requests of this address are under way, the most that it may have. Wait for some of them; CONCURRENT_REQUESTS sets the limit.`,
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

/** How much a caller may ask for: by address, and for a token also by token. */
export interface CallerLimits {
  /** Null: not counted. Otherwise what must be called once, when the request is over. */
  enter(route: Pick<Route, 'limitClass'>, request: RequestHead, principal: Principal): Result<(() => void) | null>;
  /** For a request that turns out to hold `count` more calls. */
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
