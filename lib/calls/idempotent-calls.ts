import { createHash, randomUUIDv7 } from 'node:crypto';
import type { Instances } from '#lib/instances/instances.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import { ok, refuse, type Result } from '#lib/contract/result.ts';
import type { IdempotencyRow, Store } from '#lib/store/store.ts';
import type { CallRequestIn, CallService, StartedCall } from './call-service.ts';
import { refuseByStorage } from './storage-refusal.ts';

/**
 * Idempotent calls: a client without a response retries with the same key. What can go wrong:
 * - two requests with one key arrive together: the second finds the claim of the first in memory;
 * - they arrive at two servers: the database keeps the key of the first, and the second reads it again;
 * - the history no longer has the call of a key: it ran, so it does not run again, and the error says that its record is gone;
 * - a call is rejected before it runs: its key is released. While storage cannot write that, it is known in memory;
 * - the host dies between key and call: the key is stored first and names a call. A key whose call id is newer than the history
 *   at the next start ran nothing, so it is free again, and so is one of another server that died before it began the call; an
 *   interrupted call reads as failed;
 * - keys pile up: keys older than a day are dropped, and new ones beyond the limit are rejected. Dropping a younger key could
 *   run its call twice.
 */
export interface IdempotentCalls {
  start(key: string, request: CallRequestIn): Promise<Result<RepeatableCall>>;
  /**
   * The same for requests other than a tool with arguments.
   * @param said content that must be equal in each request with this key
   * @param make creates the call, once no earlier one is known
   */
  startAs(
    key: string,
    said: readonly unknown[],
    make: () => Result<CallRequestIn> | Promise<Result<CallRequestIn>>,
  ): Promise<Result<RepeatableCall>>;
  /** Drops expired keys. */
  sweep(): Promise<void>;
}

export interface RepeatableCall extends StartedCall {
  /** It had run before; this is its record. */
  readonly isRepeated: boolean;
}

export interface IdempotentCallsOptions {
  readonly calls: Pick<CallService, 'start' | 'get'>;
  /** Newest call in the history at the start; null if it was empty. */
  readonly newestAtStart: string | null;
  readonly keys: Store['idempotency'];
  /** Other servers may use the same keys. */
  readonly instances: Pick<Instances, 'id' | 'hasOthers' | 'neverBegan'>;
  readonly now?: () => number;
  readonly mostKeys?: number;
}

/** During this time a key without a call may belong to a call that another server is about to start. */
const ELSEWHERE_MS = 600_000;
const SWEEP_EVERY = 1_000;
const SWEEP_PAUSE_MS = 1_000;
/** Rejected calls whose keys could not be released in storage. */
const MOST_REFUSED = 1_000;

/** A request with a key that is looked up, or begins a call. */
interface Claim {
  readonly requestHash: string;
  readonly looked: Promise<void>;
  begins: boolean;
}

export function createIdempotentCalls(options: IdempotentCallsOptions): IdempotentCalls {
  const { calls, keys, newestAtStart, instances } = options;
  const now = options.now ?? Date.now;
  const mostKeys = options.mostKeys ?? LIMITS.idempotencyKeys;
  const startedAt = now();
  const claims = new Map<string, Claim>();
  const refused = new Set<string>();
  let sinceSweep = 0;
  let sweptAt = Number.NEGATIVE_INFINITY;
  let kept: number | null = null;

  async function sweep(): Promise<void> {
    sinceSweep = 0;
    sweptAt = now();
    await keys.sweep(sweptAt - LIMITS.idempotencyKeyMs);
    // Counted again: other servers drop keys too.
    kept = null;
  }

  /** Null if there is space for another key. */
  async function refuseKey(): Promise<Result<never> | null> {
    kept ??= await keys.count();
    if (sinceSweep >= SWEEP_EVERY || (kept >= mostKeys && now() - sweptAt > SWEEP_PAUSE_MS)) {
      await sweep();
      kept ??= await keys.count();
    }
    if (kept < mostKeys) return null;
    const untilFree = ((await keys.oldest()) ?? now()) + LIMITS.idempotencyKeyMs - now();
    return refuse(
      'too_many_idempotency_keys',
      `${mostKeys.toLocaleString('en')} keys of the last 24 hours are stored, the maximum. Call without Idempotency-Key, or wait.`,
      { retryAfter: Math.max(1, Math.ceil(untilFree / 1_000)) },
    );
  }

  /** Null: another server began a call with this key meanwhile. */
  async function begin(row: IdempotencyRow, replaces: string | null, request: CallRequestIn): Promise<Result<RepeatableCall> | null> {
    const isNew = replaces === null;
    try {
      const full = isNew ? await refuseKey() : null;
      if (full !== null) return full;
      if (!(await keys.put(row, replaces))) return null;
      sinceSweep += 1;
      if (isNew && kept !== null) kept += 1;
    } catch (error) {
      return refuseByStorage(error);
    }
    const started = await calls.start({ ...request, id: row.callId });
    if (started.ok) return ok({ ...started.value, isRepeated: false });
    await releaseKey(row);
    return started;
  }

  async function releaseKey({ key, callId }: IdempotencyRow): Promise<void> {
    try {
      await keys.remove(key, callId);
      if (kept !== null) kept -= 1;
    } catch {
      refused.add(callId);
      const [oldest] = refused;
      if (refused.size > MOST_REFUSED && oldest !== undefined) refused.delete(oldest);
    }
  }

  /** A key whose call is not in the history. */
  function hasRun({ callId, createdAt }: IdempotencyRow): boolean {
    if (refused.has(callId)) return false;
    // The newest call is never dropped, so a later id was never written.
    return createdAt >= startedAt || (newestAtStart !== null && callId < newestAtStart);
  }

  /** The call that the key began, or why there is no answer; null when it began none. */
  async function findRepeated(row: IdempotencyRow, requestHash: string): Promise<Result<RepeatableCall> | null> {
    const known = await calls.get(row.callId);
    if (!known.ok && row.instance !== null && (await instances.neverBegan(row.callId, row.instance))) return null;
    const isBeginning = !known.ok && instances.hasOthers() && !refused.has(row.callId) && now() - row.createdAt < ELSEWHERE_MS;
    if (!known.ok && !isBeginning && !hasRun(row)) return null;
    if (row.requestHash !== requestHash) return refuseReused(row.key);
    if (isBeginning) return refuseRunning(row.callId);
    if (!known.ok) return refuseGone(row.callId);
    const call = known.value;
    if (call.status === 'running') return refuseRunning(call.id);
    return ok({ id: call.id, finished: Promise.resolve(JSON.stringify(call)), isRepeated: true });
  }

  async function startAs(
    key: string,
    said: readonly unknown[],
    make: () => Result<CallRequestIn> | Promise<Result<CallRequestIn>>,
  ): Promise<Result<RepeatableCall>> {
    const requestHash = hashOf(said);
    for (let claimed = claims.get(key); claimed !== undefined; claimed = claims.get(key)) {
      if (claimed.begins) return claimed.requestHash === requestHash ? refuseRunning(null) : refuseReused(key);
      await claimed.looked;
    }
    const { promise: looked, resolve: endLook } = Promise.withResolvers<void>();
    const claim: Claim = { requestHash, looked, begins: false };
    claims.set(key, claim);
    try {
      for (;;) {
        const row = await keys.get(key);
        const isOld = row === null || row.createdAt < now() - LIMITS.idempotencyKeyMs;
        const repeated = isOld ? null : await findRepeated(row, requestHash);
        if (repeated !== null) return repeated;
        const request = await make();
        if (!request.ok) return request;
        claim.begins = true;
        endLook();
        const begins = { key, requestHash, callId: randomUUIDv7(), createdAt: now(), instance: instances.id() };
        const begun = await begin(begins, row?.callId ?? null, request.value);
        if (begun !== null) return begun;
      }
    } finally {
      claims.delete(key);
      endLook();
    }
  }

  return {
    sweep,
    startAs,
    start: (key, request) => startAs(key, contentOf(request), () => ok(request)),
  };
}

function refuseGone(callId: string): Result<never> {
  return refuse(
    'idempotent_call_gone',
    'The call of this Idempotency-Key has started and does not run again, but its record is no longer in the history. Use a new key to call again.',
    { extra: { call_id: callId } },
  );
}

function refuseRunning(callId: string | null): Result<never> {
  return refuse('idempotency_key_running', 'The request with this Idempotency-Key is still running. Try again when it has ended.', {
    retryAfter: 1,
    ...(callId === null ? {} : { extra: { call_id: callId } }),
  });
}

function refuseReused(key: string): Result<never> {
  return refuse(
    'idempotency_key_reused',
    `The Idempotency-Key “${key.slice(0, 80)}” was used for another request. Use a new key for each request, and the same key only to retry it.`,
  );
}

function contentOf({ tool, arguments: given, timeoutMs, revision }: CallRequestIn): readonly unknown[] {
  return [tool, given, timeoutMs ?? null, revision ?? null];
}

/** Equal for equal content, whatever the order of members. */
function hashOf(said: readonly unknown[]): string {
  const text = JSON.stringify(said, function (this: object, key, value: unknown) {
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    // The wrapper of a bigint is an object too.
    if (!isObject || typeof Reflect.get(this, key) === 'bigint') return value;
    return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
  return createHash('sha256').update(text).digest('base64');
}
