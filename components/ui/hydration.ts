/*
 * Parts of a page that load their script later hydrate later. What they show has to be what the server rendered until then, so
 * nothing may change the page's data before: React would drop the part, with its focus, and render it anew.
 */
export interface Hydration {
  /** A part still has to hydrate, until the returned function is called. */
  hold(): () => void;
  /** Calls back once, when no part is held or `mostMs` have passed (a script may not load). Returns what takes this back. */
  whenDone(done: () => void, mostMs?: number): () => void;
}

const MOST_MS = 5_000;

export function createHydration(): Hydration {
  const held = new Set<object>();
  const waiting = new Set<() => void>();
  return {
    hold() {
      const part = {};
      held.add(part);
      return () => {
        if (held.delete(part) && held.size === 0) for (const end of waiting) end();
      };
    },
    whenDone(done, mostMs = MOST_MS) {
      if (held.size === 0) {
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
      const timer = setTimeout(end, mostMs);
      waiting.add(end);
      return drop;
    },
  };
}

/** Of this page. */
export const hydration = createHydration();
