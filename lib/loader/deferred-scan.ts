/**
 * The scan of the entire folder that follows a fast save. What can go wrong: saves arrive faster than a scan is worth;
 * each delays it, up to a limit. A folder with very many extensions takes long to scan; the delay grows with that time, so
 * that scans take at most a twentieth of it.
 */
export interface DeferredScan {
  schedule(): void;
  close(): void;
}

/** Longer than a load and the first call after it, which the scan would compete with. */
const AFTER_MS = 100;
const LONGEST_MS = 500;

const SHARE = 20;

/** @param scanMs how long the last one took */
export function createDeferredScan(scan: () => void, scanMs: () => number = () => 0): DeferredScan {
  let timer: NodeJS.Timeout | null = null;
  let waitingSince = 0;

  return {
    schedule() {
      const now = performance.now();
      const rest = SHARE * scanMs();
      if (timer === null) waitingSince = now;
      else clearTimeout(timer);
      timer = setTimeout(
        () => {
          timer = null;
          scan();
        },
        Math.max(0, Math.min(Math.max(AFTER_MS, rest), waitingSince + Math.max(LONGEST_MS, rest) - now)),
      );
    },
    close() {
      if (timer !== null) clearTimeout(timer);
      timer = null;
    },
  };
}
