/*
 * Lazy parts of a page hydrate once their script has loaded. Until then the page's data must not change: React would discard the
 * server-rendered part, with its focus, and render it again.
 */
export interface Hydration {
  /** Marks a part as pending until the returned function is called. */
  markPending(): () => void;
  /** Calls back once, when no part is pending or `maxMs` have passed (a script may not load). Returns a function that cancels. */
  whenDone(done: () => void, maxMs?: number): () => void;
}

const MAX_MS = 5_000;

export function createHydration(): Hydration {
  const pending = new Set<object>();
  const waiting = new Set<() => void>();
  return {
    markPending() {
      const part = {};
      pending.add(part);
      return () => {
        if (pending.delete(part) && pending.size === 0) for (const end of waiting) end();
      };
    },
    whenDone(done, maxMs = MAX_MS) {
      if (pending.size === 0) {
        done();
        return () => undefined;
      }
      const drop = () => {
        clearTimeout(timer);
        waiting.delete(end);
      };
      const end = () => {
        drop();
        done();
      };
      const timer = setTimeout(end, maxMs);
      waiting.add(end);
      return drop;
    },
  };
}

export const hydration = createHydration();
