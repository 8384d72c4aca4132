import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Output and results pass through buffers that become garbage within a millisecond. V8 accounts for them late: its own heap hardly
 * grows, so up to a hundred megabytes gather first. After some megabytes this runs a minor collection, which takes 1–2 ms. Buffers
 * still in use then move to old space, so a major collection runs once when the traffic stops.
 *
 * What can go wrong: this Node exposes no collector (memory then grows as without this module); many processes are flooded at once
 * (each counts alone, so they gather more together); the traffic never stops (V8 then runs major collections on its own).
 */
export interface BufferCollector {
  /** This many bytes arrived and are not retained. */
  passed(bytes: number): void;
}

type Collect = (type: 'minor' | 'major') => void;

const MUCH_BYTES = 64 * 1_048_576;
const QUIET_MS = 1_000;

/** Looked up once; null if there is none. */
let collector: Collect | null | undefined;
/** Bytes of all processes since the last major collection. */
let sinceAll = 0;
let quiet: NodeJS.Timeout | null = null;

export function createBufferCollector(everyBytes: number, collect: Collect | null = (collector ??= findCollector())): BufferCollector {
  let gathered = 0;
  return {
    passed(bytes) {
      gathered += bytes;
      if (gathered < everyBytes || collect === null) return;
      sinceAll += gathered;
      gathered = 0;
      // After the current user of the last buffer.
      setImmediate(collect, 'minor');
      if (sinceAll >= MUCH_BYTES) collectWhenQuiet(collect);
    },
  };
}

function collectWhenQuiet(collect: Collect): void {
  if (quiet !== null) clearTimeout(quiet);
  quiet = setTimeout(() => {
    quiet = null;
    sinceAll = 0;
    collect('major');
  }, QUIET_MS).unref();
}

function findCollector(): Collect | null {
  try {
    setFlagsFromString('--expose-gc');
    const collect: unknown = runInNewContext('gc');
    return typeof collect === 'function' ? (type) => void Reflect.apply(collect, undefined, [{ type, execution: 'sync' }]) : null;
  } catch {
    return null;
  } finally {
    setFlagsFromString('--no-expose-gc');
  }
}
