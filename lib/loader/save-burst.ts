/**
 * Gathers what is told of while something is saved, until it seems to be through.
 *
 * What can go wrong: a save goes on after a pause (then it is no pause, and the next one is looked for); a save never ends (it is
 * handed on after a longest wait, and what follows is another one); an answer about a pause comes when that is over (it counts only
 * while nothing was told since).
 */
export interface SaveBurst {
  /** @param isSave of a file that was there before: such a save is told of once, and what is new often twice, its folder first */
  note(file: string, isSave: boolean): void;
  close(): void;
}

export interface SaveBurstOptions {
  /**
   * Nothing more was told for a moment. The answer is whether nothing more is to come; null: that is not known. `areSaves`: each was
   * there before and is still there.
   */
  onPause(files: readonly string[], areSaves: boolean): Promise<boolean> | null;
  /** `isSettled`: nothing was told since the last pause. */
  onEnd(files: readonly string[], isSettled: boolean): void;
}

const COALESCE_MS = 8;
/** The least that is waited for more. */
const LEAST_WAIT_MS = 4;
const LONGEST_WAIT_MS = 60;
const PAUSE_MS = 1;
/** Of one burst: a checkout of many files has no end that could be guessed. */
const PAUSES_MOST = 3;

export function createSaveBurst(options: SaveBurstOptions): SaveBurst {
  let pending = new Set<string>();
  let end: NodeJS.Timeout | null = null;
  let cutPause = (): void => undefined;
  let pauses = 0;
  let isSettled = false;
  let areSaves = true;
  let beganAt = 0;
  /** How often anything was told, and when last. */
  let told = 0;
  let toldAt = 0;

  function finish(): void {
    if (end !== null) clearTimeout(end);
    end = null;
    cutPause();
    pauses = 0;
    const files = [...pending];
    pending = new Set();
    areSaves = true;
    options.onEnd(files, isSettled);
  }

  function waitForPause(isSave: boolean): void {
    isSettled = false;
    cutPause();
    if (pauses >= PAUSES_MOST) return;
    if (isSave && pauses === 0) {
      const wait = setImmediate(onPause);
      cutPause = () => clearImmediate(wait);
    } else {
      const wait = setTimeout(onPause, PAUSE_MS);
      cutPause = () => clearTimeout(wait);
    }
  }

  function onPause(): void {
    pauses += 1;
    isSettled = true;
    const known = told;
    void options.onPause([...pending], areSaves)?.then((isAll) => isAll && finishSoon(known));
  }

  /** Unless more was told since, or it is over. */
  function finishSoon(known: number): void {
    if (end === null || told !== known) return;
    const left = LEAST_WAIT_MS - (performance.now() - toldAt);
    if (left <= 0) return finish();
    clearTimeout(end);
    end = setTimeout(finish, left);
  }

  return {
    note(file, isSave) {
      toldAt = performance.now();
      told += 1;
      if (pending.size === 0) beganAt = toldAt;
      pending.add(file);
      areSaves &&= isSave;
      waitForPause(isSave);
      if (end !== null && toldAt - beganAt > LONGEST_WAIT_MS) return;
      if (end !== null) clearTimeout(end);
      end = setTimeout(finish, COALESCE_MS);
    },
    close() {
      if (end !== null) clearTimeout(end);
      end = null;
      cutPause();
    },
  };
}
