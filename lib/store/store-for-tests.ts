import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openStore } from './open-store.ts';
import type { Store } from './store.ts';

/** A store in its own folder, which is removed with it. */
export async function openTemporaryStore(): Promise<{ readonly store: Store; close(): Promise<void> }> {
  const folder = await mkdtemp(path.join(tmpdir(), 'switchboard-store-'));
  const opened = await openStore({ file: path.join(folder, 'store.db') });
  if (!opened.ok) throw new Error(opened.reason);
  const { store } = opened;
  return {
    store,
    async close() {
      await store.close();
      await rm(folder, { recursive: true });
    },
  };
}
