import { describe, expect, it } from 'vitest';
import type { Store } from './store.ts';

/** What every database must do with the keys of repeated requests. */
export function describeIdempotencyContract(store: () => Store, restart: () => Promise<void>): void {
  describe('keys of repeated requests', () => {
    const row = { key: 'k', requestHash: 'h', callId: 'c', createdAt: 1_000 };

    it('are kept over a restart, until they are too old', async () => {
      await store().idempotency.put(row);
      await restart();
      expect(store().idempotency.get('k', 1_000)).toEqual(row);
      expect(store().idempotency.get('k', 1_001)).toBeNull();
      expect(store().idempotency.get('K', 0)).toBeNull();
    });

    it('are replaced', async () => {
      await store().idempotency.put(row);
      await store().idempotency.put({ ...row, requestHash: 'h2', callId: 'c2', createdAt: 2_000 });
      expect(store().idempotency.get('k', 0)).toEqual({ key: 'k', requestHash: 'h2', callId: 'c2', createdAt: 2_000 });
    });

    it('are dropped by age, and the oldest beyond the most', async () => {
      for (let at = 1; at <= 5; at += 1) await store().idempotency.put({ ...row, key: `k${at}`, createdAt: at });
      expect(await store().idempotency.sweep(2, 3)).toBe(2);
      expect([1, 2, 3, 4, 5].map((at) => store().idempotency.get(`k${at}`, 0) !== null)).toEqual([false, false, true, true, true]);
      expect(await store().idempotency.sweep(0, 10)).toBe(0);
    });
  });
}
