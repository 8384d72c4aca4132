/**
 * The scan of the entire folder that follows a fast save, in steps. What can go wrong: saves arrive in quick succession;
 * each one delays the scan, up to a limit. The scan of a folder with many extensions is slow; the delay grows with its duration, so
 * that scans take at most a twentieth of it. A save during a scan competes with it: the next step waits, also up to a limit.
 */
export interface DeferredScan {
  schedule(): void;
  /** Postpones the next step, because a save has started. */
  rest(): void;
  close(): void;
}

/** Longer than a load and the first call after it, which the scan would compete with. */
const AFTER_MS = 100;
const LONGEST_MS = 500;

const SHARE = 20;

export function createDeferredScan<Step>(stepsOf: () => Promise<readonly Step[]>, scan: (step: Step) => Promise<void>): DeferredScan {
  let timer: NodeJS.Timeout | null = null;
  let waitingSince = 0;
  let savedAt = -Infinity;
  let tookMs = 0;
  let isClosed = false;

  async function scanAll(): Promise<void> {
    let sum = 0;
    for (const step of await stepsOf()) {
      await afterSave();
      if (isClosed) return;
      const beganAt = performance.now();
      await scan(step);
      sum += performance.now() - beganAt;
    }
    tookMs = sum;
  }

  async function afterSave(): Promise<void> {
    const since = performance.now();
    for (;;) {
      const now = performance.now();
      const left = Math.min(savedAt + AFTER_MS, since + LONGEST_MS) - now;
      if (left <= 0 || isClosed) return;
      await new Promise((resolve) => setTimeout(resolve, left));
    }
  }

  return {
    schedule() {
      const now = performance.now();
      const rest = SHARE * tookMs;
      savedAt = now;
      if (timer === null) waitingSince = now;
      else clearTimeout(timer);
      timer = setTimeout(
        () => {
          timer = null;
          void scanAll();
        },
        Math.max(0, Math.min(Math.max(AFTER_MS, rest), waitingSince + Math.max(LONGEST_MS, rest) - now)),
      );
    },
    rest() {
      savedAt = performance.now();
    },
    close() {
      isClosed = true;
      if (timer !== null) clearTimeout(timer);
      timer = null;
    },
  };
}
