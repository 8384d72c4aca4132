import { describe, expect, it } from 'vitest';
import type { SecretRow } from './secret-repository.ts';
import type { Store } from './store.ts';

const ROW: SecretRow = { name: 'API_KEY', sealed: 'v1.k.one', updatedAt: '2026-11-26T10:00:00.000Z', updatedBy: 'Ada' };

/** The store contract for secrets. */
export function describeSecretContract(store: () => Store, restart: () => Promise<void>): void {
  describe('secrets', () => {
    it('survive a restart, by name, and are replaced', async () => {
      expect(await store().secrets.put(ROW, 10)).toBe('kept');
      expect(await store().secrets.put({ ...ROW, name: 'A', updatedBy: null }, 10)).toBe('kept');
      await restart();
      expect(await store().secrets.list()).toEqual([{ ...ROW, name: 'A', updatedBy: null }, ROW]);
      expect(await store().secrets.put({ ...ROW, sealed: 'v1.k.two' }, 2)).toBe('kept');
      expect((await store().secrets.list()).map(({ sealed }) => sealed)).toEqual(['v1.k.one', 'v1.k.two']);
    });

    it('are refused above the limit', async () => {
      await store().secrets.put(ROW, 1);
      expect(await store().secrets.put({ ...ROW, name: 'B' }, 1)).toBe('full');
      expect(await store().secrets.list()).toHaveLength(1);
    });

    it('are sealed again only while unchanged', async () => {
      await store().secrets.put(ROW, 10);
      await store().secrets.seal('API_KEY', 'v1.k.other', 'v1.new.lost');
      expect(await store().secrets.list()).toEqual([ROW]);
      await store().secrets.seal('API_KEY', ROW.sealed, 'v1.new.one');
      expect(await store().secrets.list()).toEqual([{ ...ROW, sealed: 'v1.new.one' }]);
    });

    it('are removed once', async () => {
      await store().secrets.put(ROW, 10);
      expect(await store().secrets.remove('API_KEY')).toBe(true);
      expect(await store().secrets.remove('API_KEY')).toBe(false);
      expect(await store().secrets.list()).toEqual([]);
    });
  });
}
