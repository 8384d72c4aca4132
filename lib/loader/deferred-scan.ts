/**
 * The scan of the entire folder that follows a fast save. What can go wrong: saves arrive faster than a scan is worth;
 * each delays it, up to a limit.
 */
export interface DeferredScan {
  schedule(): void;
  close(): void;
}

/** Longer than a load and the first call after it, which the scan would compete with. */
const AFTER_MS = 100;
const LONGEST_MS = 500;

export function createDeferredScan(scan: () => void): DeferredScan {
  let timer: NodeJS.Timeout | null = null;
  let waitingSince = 0;

  return {
    schedule() {
      const now = performance.now();
      if (timer === null) waitingSince = now;
      else clearTimeout(timer);
      timer = setTimeout(
        () => {
          timer = null;
          scan();
        },
        Math.max(0, Math.min(AFTER_MS, waitingSince + LONGEST_MS - now)),
      );
    },
    close() {
      if (timer !== null) clearTimeout(timer);
      timer = null;
    },
  };
}
