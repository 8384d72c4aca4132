/**
 * The scan of the entire folder that follows a fast save. What can go wrong: saves arrive faster than a scan is worth;
 * each delays it, up to a limit.
 */
export interface LookBehind {
  /** Schedules it. */
  owe(): void;
  close(): void;
}

/** Longer than a load and the first call after it, which the scan would compete with. */
const AFTER_MS = 100;
const LONGEST_MS = 500;

export function createLookBehind(look: () => void): LookBehind {
  let timer: NodeJS.Timeout | null = null;
  let owedSince = 0;

  return {
    owe() {
      const now = performance.now();
      if (timer === null) owedSince = now;
      else clearTimeout(timer);
      timer = setTimeout(
        () => {
          timer = null;
          look();
        },
        Math.max(0, Math.min(AFTER_MS, owedSince + LONGEST_MS - now)),
      );
    },
    close() {
      if (timer !== null) clearTimeout(timer);
      timer = null;
    },
  };
}
