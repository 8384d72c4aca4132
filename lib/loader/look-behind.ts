/**
 * The look at the whole folder that a save was not made to wait for. What goes wrong: saves follow one another more quickly than a
 * look is worth (each puts it off, though not for ever).
 */
export interface LookBehind {
  /** Due in a moment. */
  owe(): void;
  close(): void;
}

/** Longer than a load and the first call of what it brought take: a look would take the processor from both. */
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
