import type { Principal } from '#lib/access/principal.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import { ok, refuse, type Result } from '#lib/contract/result.ts';
import type { RequestRate } from '#lib/host/config.ts';
import type { RequestHead } from '../request.ts';
import type { Route } from '../route.ts';
import type { ClientAddress } from './client-address.ts';

/**
 * Rate limits per address or per team token: token buckets for calls and for writes, and a limit of concurrent requests for
 * both. Reads are not limited. What can go wrong: a flood from ever new addresses must not fill the memory, so only the latest
 * are kept; one with running requests is never dropped.
 */
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

export function createRequestLimits(options: RequestLimitsOptions) {
  const { callRate, writeRate, concurrentRequests, of = 'address', monotonicNow: now = () => performance.now() } = options;
  const clients = new Map<string, Client>();
  const counts = { calls: 0, writes: 0, concurrent: 0 };

  function clientAt(address: string, time: number): Client {
    const known = clients.get(address);
    if (known !== undefined) return known;
    if (clients.size >= MOST_ADDRESSES) forgetOne();
    const fresh: Client = {
      calls: { left: callRate?.count ?? 0, at: time },
      writes: { left: writeRate?.count ?? 0, at: time },
      active: 0,
    };
    clients.set(address, fresh);
    return fresh;
  }

  function forgetOne(): void {
    for (const [address, { active }] of clients) if (active === 0) return void clients.delete(address);
  }

  function take(kind: 'calls' | 'writes', client: Client, time: number, count: number): Result<null> {
    const rate = kind === 'calls' ? callRate : writeRate;
    if (rate === null) return ok(null);
    const bucket = client[kind];
    bucket.left = Math.min(rate.count, bucket.left + ((time - bucket.at) * rate.count) / rate.perMs);
    bucket.at = time;
    // A request larger than the bucket passes when it is full, and leaves a debt.
    const needed = Math.min(count, rate.count);
    if (bucket.left >= needed) {
      bucket.left -= count;
      return ok(null);
    }
    counts[kind] += 1;
    const retryAfter = Math.max(1, Math.ceil(((needed - bucket.left) * rate.perMs) / rate.count / 1_000));
    const unit = rate.perMs === 1_000 ? 's' : rate.perMs === 60_000 ? 'min' : 'h';
    const setting = of === 'token' ? '.' : `; RATE_LIMIT_${kind.toUpperCase()} sets the limit.`;
    return refuse(
      'too_many_requests',
      `Rate limit: this ${of} may send ${rate.count} ${kind}/${unit}. Try again in ${retryAfter} s${setting}`,
      { retryAfter },
    );
  }

  return {
    /** Null: not counted. Otherwise call it once when the request is over. */
    enter({ limitClass }: Pick<Route, 'limitClass'>, address: string): Result<(() => void) | null> {
      if (limitClass === null) return ok(null);
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
      const taken = take(limitClass, client, time, 1);
      if (!taken.ok || concurrentRequests === 0) return taken;
      client.active += 1;
      return ok(() => {
        client.active -= 1;
      });
    },
    /** For a request with `count` further calls. */
    takeCalls(address: string, count: number): Result<null> {
      const time = now();
      return count <= 0 ? ok(null) : take('calls', clientAt(address, time), time, count);
    },
    /** Since the start. */
    refused: () => ({ ...counts }),
  };
}

/** Limits of a caller: by address, and for a token also by token. */
export type CallerLimits = ReturnType<typeof createCallerLimits>;

export function createCallerLimits(
  { callRate, writeRate, concurrentRequests }: Pick<RequestLimitsOptions, 'callRate' | 'writeRate' | 'concurrentRequests'>,
  addressOf: ClientAddress,
) {
  const ofAddress = createRequestLimits({ callRate, writeRate, concurrentRequests });
  const ofToken = createRequestLimits({
    callRate: { count: LIMITS.callsPerSecondOfToken, perMs: 1_000 },
    writeRate: null,
    concurrentRequests: 0,
    of: 'token',
  });
  return {
    enter(route: Pick<Route, 'limitClass'>, request: RequestHead, principal: Principal): Result<(() => void) | null> {
      const own = principal.kind === 'token' ? ofToken.enter(route, principal.id) : ok(null);
      return own.ok ? ofAddress.enter(route, addressOf(request)) : own;
    },
    takeCalls(request: RequestHead, principal: Principal, count: number): Result<null> {
      const own = principal.kind === 'token' ? ofToken.takeCalls(principal.id, count) : ok(null);
      return own.ok ? ofAddress.takeCalls(addressOf(request), count) : own;
    },
    refused: () => ({ ...ofAddress.refused(), token: ofToken.refused().calls }),
  };
}
