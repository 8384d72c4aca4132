import path from 'node:path';

/**
 * Collects the events of a save until it seems to be finished.
 *
 * What can go wrong: a save continues after a pause (the next pause counts); a save never ends (it is reported after a
 * maximum wait, and the rest is another burst); a checkout changes hundreds of files with breaks between them (with
 * many files, or saves in a second folder, the waits are longer, so that it is one change); this process was busy, so
 * that a wait ends before the events of that time are read (they are read first).
 */
export interface SaveBurst {
  /**
   * @param isSave of a file that existed before: such a save raises one event, a new file often two, its folder first
   */
  note(file: string, isSave: boolean): void;
  /** A file event arrived; `note` follows once its kind is known. */
  stir(): void;
  close(): void;
}

export interface SaveBurstOptions {
  /** No event arrived for a moment; `onEnd` follows unless more arrive. `areSaves`: each file existed before and still does. */
  onPause(files: readonly string[], areSaves: boolean): void;
  /** `isSettled`: no event since the last pause. */
  onEnd(files: readonly string[], isSettled: boolean): void;
}

const COALESCE_MS = 8;
const LONGEST_WAIT_MS = 60;
/** An editor writes up to four files for one save, among them a backup and a temporary one. */
const MANY = 4;
const COALESCE_MANY_MS = 60;
const LONGEST_MANY_MS = 2_000;
const PAUSE_MS = 1;
/** Limit per burst: the end of a checkout of many files cannot be predicted. */
const PAUSES_MOST = 3;

export function createSaveBurst(options: SaveBurstOptions): SaveBurst {
  let pending = new Set<string>();
  let folders = new Set<string>();
  let end: NodeJS.Timeout | null = null;
  let reading: NodeJS.Immediate | null = null;
  let cutPause = (): void => undefined;
  let pauses = 0;
  let isSettled = false;
  let areSaves = true;
  let beganAt = 0;

  function stopWaiting(): void {
    if (end !== null) clearTimeout(end);
    if (reading !== null) clearImmediate(reading);
    end = null;
    reading = null;
  }

  /** Restarts the wait, unless the burst has lasted too long. */
  function waitForEnd(): void {
    const areMany = pending.size > MANY || folders.size > 1;
    const isLong = performance.now() - beganAt > (areMany ? LONGEST_MANY_MS : LONGEST_WAIT_MS);
    if (isLong && (end !== null || reading !== null)) return;
    stopWaiting();
    end = setTimeout(
      () => {
        end = null;
        reading = setImmediate(finish);
      },
      areMany ? COALESCE_MANY_MS : COALESCE_MS,
    );
  }

  function finish(): void {
    stopWaiting();
    cutPause();
    pauses = 0;
    const files = [...pending];
    pending = new Set();
    folders = new Set();
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
      if (pending.size === 0) beganAt = performance.now();
      pending.add(file);
      if (isSave) folders.add(path.dirname(file));
      areSaves &&= isSave;
      waitForPause(isSave);
      waitForEnd();
    },
    stir() {
      if (pending.size > 0) waitForEnd();
    },
    close() {
      stopWaiting();
      cutPause();
    },
  };
}
