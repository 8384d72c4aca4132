import { LIMITS } from '#lib/contract/limits.ts';

/**
 * At most `atOnce` calls of one extension run at a time; the others wait in order, `waiting` of them at most.
 * A waiting call can be taken out (cancelled) without having run.
 */
export interface CallQueue {
  hasRoom(extension: string): boolean;
  /** Resolves with true when it may run (then `leave` must follow), with false when `signal` took it out first. */
  enter(extension: string, signal: AbortSignal): Promise<boolean>;
  leave(extension: string): void;
}

interface Lane {
  running: number;
  readonly waiting: Set<() => void>;
}

export function createCallQueue(atOnce: number = LIMITS.callsPerExtension, mostWaiting: number = LIMITS.callsWaiting): CallQueue {
  const lanes = new Map<string, Lane>();

  function laneOf(extension: string): Lane {
    let lane = lanes.get(extension);
    if (lane === undefined) {
      lane = { running: 0, waiting: new Set() };
      lanes.set(extension, lane);
    }
    return lane;
  }

  return {
    hasRoom: (extension) => (lanes.get(extension)?.waiting.size ?? 0) < mostWaiting,
    enter(extension, signal) {
      const lane = laneOf(extension);
      if (signal.aborted) return Promise.resolve(false);
      if (lane.running < atOnce) {
        lane.running += 1;
        return Promise.resolve(true);
      }
      return new Promise<boolean>((resolve) => {
        const go = (): void => {
          signal.removeEventListener('abort', quit);
          resolve(true);
        };
        const quit = (): void => {
          lane.waiting.delete(go);
          resolve(false);
        };
        lane.waiting.add(go);
        signal.addEventListener('abort', quit, { once: true });
      });
    },
    leave(extension) {
      const lane = laneOf(extension);
      const next = lane.waiting.values().next();
      if (next.done === true) {
        lane.running -= 1;
        if (lane.running === 0) lanes.delete(extension);
      } else {
        lane.waiting.delete(next.value);
        next.value();
      }
    },
  };
}
