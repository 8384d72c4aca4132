import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * What an extension prints or answers passes through buffers that are garbage a moment later. V8 counts them late: it lets up to a
 * hundred megabytes of them gather before it looks, since its own heap hardly grows. So after some megabytes its young part is
 * collected, which takes a millisecond or two and gives their memory back.
 *
 * What can go wrong: this Node gives no collector (then memory goes up and down as it would without); a flood in each of many
 * processes (each counts for itself, so that together they gather more).
 */
export interface BufferRelief {
  /** So many bytes came and are not kept. */
  passed(bytes: number): void;
}

type Collect = () => void;

/** Found once; null: there is none. */
let collector: Collect | null | undefined;

export function createBufferRelief(everyBytes: number, collect: Collect | null = (collector ??= findCollector())): BufferRelief {
  let gathered = 0;
  return {
    passed(bytes) {
      gathered += bytes;
      if (gathered < everyBytes) return;
      gathered = 0;
      // After whoever is using the last of it.
      if (collect !== null) setImmediate(collect);
    },
  };
}

function findCollector(): Collect | null {
  try {
    setFlagsFromString('--expose-gc');
    const collect: unknown = runInNewContext('gc');
    return typeof collect === 'function' ? () => void Reflect.apply(collect, undefined, [{ type: 'minor', execution: 'sync' }]) : null;
  } catch {
    return null;
  } finally {
    setFlagsFromString('--no-expose-gc');
  }
}
