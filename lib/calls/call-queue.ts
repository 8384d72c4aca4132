import { LIMITS } from '#lib/contract/limits.ts';
import { ShortLivedMap, ShortLivedSet } from '#lib/memory/short-lived.ts';

/**
 * At most `atOnce` calls of an extension run at a time; at most `waiting` others wait in order. A call reserves its place
 * before its record is written, so that a burst cannot exceed the limit meanwhile.
 */
export interface CallQueue {
  /** Reserves a place, or reports that all are taken. `quit` must release it. */
  admit(extension: string): boolean;
  quit(extension: string): void;
  /** Resolves with true when the call may run (then `leave` must follow), with false if `signal` aborted first. */
  enter(extension: string, signal: AbortSignal): Promise<boolean>;
  leave(extension: string): void;
  /** Waiting calls of all extensions. */
  waiting(): number;
}

interface Lane {
  admitted: number;
  running: number;
  readonly waiting: ShortLivedSet<() => void>;
}

export function createCallQueue(atOnce: number = LIMITS.callsPerExtension, mostWaiting: number = LIMITS.callsWaiting): CallQueue {
  const lanes = new ShortLivedMap<string, Lane>();

  function laneOf(extension: string): Lane {
    let lane = lanes.get(extension);
    if (lane === undefined) {
      lane = { admitted: 0, running: 0, waiting: new ShortLivedSet() };
      lanes.set(extension, lane);
    }
    return lane;
  }

  return {
    admit(extension) {
      const lane = laneOf(extension);
      if (lane.admitted >= atOnce + mostWaiting) return false;
      lane.admitted += 1;
      return true;
    },
    quit(extension) {
      const lane = laneOf(extension);
      lane.admitted -= 1;
      if (lane.admitted === 0) lanes.delete(extension);
    },
    enter(extension, signal) {
      const lane = laneOf(extension);
      if (signal.aborted) return Promise.resolve(false);
      if (lane.running < atOnce) {
        lane.running += 1;
        return Promise.resolve(true);
      }
      return new Promise<boolean>((resolve) => {
        const go = (): void => {
          leave();
          signal.removeEventListener('abort', quit);
          resolve(true);
        };
        const quit = (): void => {
          leave();
          resolve(false);
        };
        const leave = lane.waiting.add(go);
        signal.addEventListener('abort', quit, { once: true });
      });
    },
    waiting: () => [...lanes.values()].reduce((sum, lane) => sum + lane.waiting.size, 0),
    leave(extension) {
      const lane = laneOf(extension);
      const [next] = lane.waiting;
      if (next === undefined) lane.running -= 1;
      else next();
    },
  };
}
