/**
 * Collects the events of a save until it seems to be finished.
 *
 * What can go wrong: a save continues after a pause (it was no pause; the next one counts); a save never ends (it is
 * passed on after a maximum wait, and the rest is another burst); a checkout changes hundreds of files with breaks
 * between them (from some number of files on, the waits are longer, so that it is one change).
 */
export interface SaveBurst {
  /**
   * @param isSave of a file that existed before: such a save raises one event, a new file often two, its folder first
   */
  note(file: string, isSave: boolean): void;
  close(): void;
}

export interface SaveBurstOptions {
  /** No event for a moment; `onEnd` follows unless more arrive. `areSaves`: each file existed before and still does. */
  onPause(files: readonly string[], areSaves: boolean): void;
  /** `isSettled`: no event since the last pause. */
  onEnd(files: readonly string[], isSettled: boolean): void;
}

const COALESCE_MS = 8;
const LONGEST_WAIT_MS = 60;
const MANY = 24;
const COALESCE_MANY_MS = 60;
const LONGEST_MANY_MS = 2_000;
const PAUSE_MS = 1;
/** Per burst: the end of a checkout of many files cannot be guessed. */
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
      const areMany = pending.size > MANY;
      if (end !== null && now - beganAt > (areMany ? LONGEST_MANY_MS : LONGEST_WAIT_MS)) return;
      if (end !== null) clearTimeout(end);
      end = setTimeout(finish, areMany ? COALESCE_MANY_MS : COALESCE_MS);
    },
    close() {
      if (end !== null) clearTimeout(end);
      end = null;
      cutPause();
    },
  };
}
