import { describe, expect, it } from 'vitest';
import type { Store } from './store.ts';

/** The store contract for keys of repeated requests. */
export function describeIdempotencyContract(store: () => Store, restart: () => Promise<void>): void {
  describe('keys of repeated requests', () => {
    const row = { key: 'k', requestHash: 'h', callId: 'c', createdAt: 1_000, instance: 'one' };

    it('survive a restart, until they are too old', async () => {
      await store().idempotency.put(row, null);
      await restart();
      expect(await store().idempotency.get('k', 1_000)).toEqual(row);
      expect(await store().idempotency.get('k', 1_001)).toBeNull();
      expect(await store().idempotency.get('K', 0)).toBeNull();
    });

    it('are replaced', async () => {
      await store().idempotency.put(row, null);
      await store().idempotency.put({ ...row, requestHash: 'h2', callId: 'c2', createdAt: 2_000, instance: 'two' }, 'c');
      expect(await store().idempotency.get('k', 0)).toEqual({
        key: 'k',
        requestHash: 'h2',
        callId: 'c2',
        createdAt: 2_000,
        instance: 'two',
      });
    });

    it('are given to the first of two requests', async () => {
      const puts = [row, { ...row, callId: 'c2' }].map((one) => store().idempotency.put(one, null));
      expect((await Promise.all(puts)).filter((isStored) => isStored)).toEqual([true]);
      expect(await store().idempotency.put({ ...row, callId: 'c3' }, 'another')).toBe(false);
    });

    it('are dropped by age', async () => {
      for (let at = 1; at <= 5; at += 1) await store().idempotency.put({ ...row, key: `k${at}`, createdAt: at }, null);
      expect([await store().idempotency.count(), await store().idempotency.oldest()]).toEqual([5, 1]);
      expect(await store().idempotency.sweep(3)).toBe(2);
      const kept = await Promise.all([1, 2, 3, 4, 5].map((at) => store().idempotency.get(`k${at}`, 0)));
      expect(kept.map((each) => each !== null)).toEqual([false, false, true, true, true]);
      expect([await store().idempotency.count(), await store().idempotency.oldest()]).toEqual([3, 3]);
      expect(await store().idempotency.sweep(3)).toBe(0);
    });

    it('are removed, unless they belong to another call now', async () => {
      await store().idempotency.put(row, null);
      await store().idempotency.remove('k', 'another');
      expect(await store().idempotency.get('k', 0)).toEqual(row);
      await store().idempotency.remove('k', 'c');
      expect([await store().idempotency.get('k', 0), await store().idempotency.count(), await store().idempotency.oldest()]).toEqual([
        null,
        0,
        null,
      ]);
    });
  });
}
