import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * What an extension prints or answers passes through buffers that are garbage a moment later. V8 counts them late: it lets up to a
 * hundred megabytes of them gather before it looks, since its own heap hardly grows. So after some megabytes its young part is
 * collected, which takes a millisecond or two and gives their memory back. What was still needed then is old by now: when much has
 * passed and no more comes, everything is collected once.
 *
 * What can go wrong: this Node gives no collector (then memory goes up and down as it would without); a flood in each of many
 * processes (each counts for itself, so that together they gather more); more comes all the time (V8 collects all by itself then).
 */
export interface BufferRelief {
  /** So many bytes came and are not kept. */
  passed(bytes: number): void;
}

type Collect = (type: 'minor' | 'major') => void;

const MUCH_BYTES = 64 * 1_048_576;
const QUIET_MS = 1_000;

/** Found once; null: there is none. */
let collector: Collect | null | undefined;
/** Of all processes, since everything was collected. */
let sinceAll = 0;
let quiet: NodeJS.Timeout | null = null;

export function createBufferRelief(everyBytes: number, collect: Collect | null = (collector ??= findCollector())): BufferRelief {
  let gathered = 0;
  return {
    passed(bytes) {
      gathered += bytes;
      if (gathered < everyBytes || collect === null) return;
      sinceAll += gathered;
      gathered = 0;
      // After whoever is using the last of it.
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
