/**
 * Gathers what is told of while something is saved, until it seems to be through.
 *
 * What can go wrong: a save goes on after a pause (then it is no pause, and the next one is looked for); a save never ends (it is
 * handed on after a longest wait, and what follows is another one).
 */
export interface SaveBurst {
  /** @param isSave of a file that was there before: such a save is told of once, and what is new often twice, its folder first */
  note(file: string, isSave: boolean): void;
  close(): void;
}

export interface SaveBurstOptions {
  /**
   * No further event for a moment; `onEnd` follows unless more arrive. `areSaves`: each file existed before and still does.
   */
  onPause(files: readonly string[], areSaves: boolean): void;
  /** `isSettled`: nothing was told since the last pause. */
  onEnd(files: readonly string[], isSettled: boolean): void;
}

const COALESCE_MS = 8;
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
    options.onPause([...pending], areSaves);
  }

  return {
    note(file, isSave) {
      const now = performance.now();
      if (pending.size === 0) beganAt = now;
      pending.add(file);
      areSaves &&= isSave;
      waitForPause(isSave);
      if (end !== null && now - beganAt > LONGEST_WAIT_MS) return;
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
