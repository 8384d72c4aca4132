import { createHash, randomUUIDv7 } from 'node:crypto';
import { LIMITS } from '#lib/contract/limits.ts';
import { ok, refuse } from '#lib/contract/result.ts';
import type { Result } from '#lib/contract/result.ts';
import type { Store } from '#lib/store/store.ts';
import type { CallRequestIn, CallService, StartedCall } from './call-service.ts';
import { refuseByStorage } from './storage-refusal.ts';

/**
 * Calls that are run once, however often they are asked for: a client that got no answer asks again with the same key. What can
 * go wrong:
 * - two requests with one key arrive together: the second finds the claim that the first has made in memory;
 * - the host dies between the key and the call: the key is kept first and names a call, and one whose call there is not
 *   has run nothing, so it is taken anew; a call that was cut off reads as failed, and is not run again;
 * - keys pile up: those of more than a day, and the oldest of too many, are dropped.
 */
export interface IdempotentCalls {
  start(key: string, request: CallRequestIn): Promise<Result<RepeatableCall>>;
  /** Drops what is kept no longer. */
  sweep(): Promise<void>;
}

export interface RepeatableCall extends StartedCall {
  /** It had run before, and this is its record. */
  readonly isRepeated: boolean;
}

export interface IdempotentCallsOptions {
  readonly calls: Pick<CallService, 'start' | 'get'>;
  readonly keys: Store['idempotency'];
  readonly now?: () => number;
  readonly mostKeys?: number;
}

const SWEEP_EVERY = 1_000;

export function createIdempotentCalls(options: IdempotentCallsOptions): IdempotentCalls {
  const { calls, keys } = options;
  const now = options.now ?? Date.now;
  /** Keys whose call is being started → hash of the request. */
  const claims = new Map<string, string>();
  let sinceSweep = 0;

  async function sweep(): Promise<void> {
    sinceSweep = 0;
    await keys.sweep(now() - LIMITS.idempotencyKeyMs, options.mostKeys ?? LIMITS.idempotencyKeys);
  }

  async function begin(key: string, requestHash: string, request: CallRequestIn): Promise<Result<RepeatableCall>> {
    const callId = randomUUIDv7();
    try {
      await keys.put({ key, requestHash, callId, createdAt: now() });
      sinceSweep += 1;
      if (sinceSweep >= SWEEP_EVERY) await sweep();
    } catch (error) {
      return refuseByStorage(error);
    }
    const started = await calls.start({ ...request, id: callId });
    return started.ok ? ok({ ...started.value, isRepeated: false }) : started;
  }

  return {
    sweep,
    async start(key, request) {
      const requestHash = hashRequest(request);
      const claimed = claims.get(key);
      if (claimed !== undefined) return claimed === requestHash ? refuseRunning(null) : refuseReused(key);
      const kept = keys.get(key, now() - LIMITS.idempotencyKeyMs);
      const known = kept === null ? null : calls.get(kept.callId);
      if (kept !== null && known?.ok === true) {
        const call = known.value;
        if (kept.requestHash !== requestHash) return refuseReused(key);
        if (call.status === 'running') return refuseRunning(call.id);
        return ok({ id: call.id, finished: Promise.resolve(JSON.stringify(call)), isRepeated: true });
      }
      claims.set(key, requestHash);
      try {
        return await begin(key, requestHash, request);
      } finally {
        claims.delete(key);
      }
    },
  };
}

function refuseRunning(callId: string | null): Result<never> {
  return refuse('idempotency_key_running', 'The request with this Idempotency-Key is still running. Ask again when it has ended.', {
    retryAfter: 1,
    ...(callId === null ? {} : { extra: { call_id: callId } }),
  });
}

function refuseReused(key: string): Result<never> {
  return refuse(
    'idempotency_key_reused',
    `The Idempotency-Key “${key.slice(0, 80)}” was used for another request. Take a new key for each request, and the same one only to repeat it.`,
  );
}

/** The same for the same tool and body, in whatever order their fields stand. */
function hashRequest({ tool, arguments: given, timeoutMs, revision }: CallRequestIn): string {
  const text = JSON.stringify([tool, given, timeoutMs ?? null, revision ?? null], (_key, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
  return createHash('sha256').update(text).digest('base64');
}
