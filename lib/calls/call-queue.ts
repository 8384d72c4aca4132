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

interface ExtensionQueue {
  admitted: number;
  running: number;
  readonly waiting: ShortLivedSet<() => void>;
}

export function createCallQueue(atOnce: number = LIMITS.callsPerExtension, mostWaiting: number = LIMITS.callsWaiting): CallQueue {
  const queues = new ShortLivedMap<string, ExtensionQueue>();

  function queueOf(extension: string): ExtensionQueue {
    let queue = queues.get(extension);
    if (queue === undefined) {
      queue = { admitted: 0, running: 0, waiting: new ShortLivedSet() };
      queues.set(extension, queue);
    }
    return queue;
  }

  return {
    admit(extension) {
      const queue = queueOf(extension);
      if (queue.admitted >= atOnce + mostWaiting) return false;
      queue.admitted += 1;
      return true;
    },
    quit(extension) {
      const queue = queueOf(extension);
      queue.admitted -= 1;
      if (queue.admitted === 0) queues.delete(extension);
    },
    enter(extension, signal) {
      const queue = queueOf(extension);
      if (signal.aborted) return Promise.resolve(false);
      if (queue.running < atOnce) {
        queue.running += 1;
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
        const leave = queue.waiting.add(go);
        signal.addEventListener('abort', quit, { once: true });
      });
    },
    waiting: () => [...queues.values()].reduce((sum, queue) => sum + queue.waiting.size, 0),
    leave(extension) {
      const queue = queueOf(extension);
      const [next] = queue.waiting;
      if (next === undefined) queue.running -= 1;
      else next();
    },
  };
}
