import type { Snapshot } from './snapshot.ts';
import { emptySnapshot } from './snapshot.ts';

/** Holds the current snapshot. One writer (the loader), many readers; a reader keeps the snapshot it read. */
export interface Registry<Running> {
  current(): Snapshot<Running>;
  replace(next: Snapshot<Running>): void;
  /**
   * Called after each replacement, even when the version is the same; must not throw. Returns the unsubscribe function.
   */
  follow(listener: () => void): () => void;
}

export function createRegistry<Running>(version: number): Registry<Running> {
  let snapshot = emptySnapshot<Running>(version);
  const followers = new Set<() => void>();
  return {
    current: () => snapshot,
    replace(next) {
      if (next.version < snapshot.version) throw new Error(`snapshot ${next.version} is older than ${snapshot.version}`);
      snapshot = next;
      for (const follow of followers) follow();
    },
    follow(listener) {
      followers.add(listener);
      return () => void followers.delete(listener);
    },
  };
}
