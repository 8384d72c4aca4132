import type { RunningExtension } from '#lib/runtime/runtime.ts';

/**
 * Runs loads by priority, a limited number at a time. A load that takes longer than `slowMs` releases its slot and
 * continues, so that hanging imports do not block the others.
 */
export interface LoadQueueOptions {
  /** Concurrent loads while none is slow. */
  readonly places: number;
  /** Concurrent loads in total. */
  readonly most: number;
  readonly slowMs: number;
}

/** Loads of a higher rank run first; among equals, in the order of arrival. */
export type LoadQueue = <Value>(rank: number, load: () => Promise<Value>) => Promise<Value>;

export function createLoadQueue({ places, most, slowMs }: LoadQueueOptions): LoadQueue {
  const waiting: { readonly rank: number; readonly start: () => void }[] = [];
  let running = 0;
  let held = 0;

  const startNext = (): void => {
    while (held < places && running < most) {
      const next = waiting.shift();
      if (next === undefined) return;
      held += 1;
      running += 1;
      next.start();
    }
  };

  const run = async <Value>(load: () => Promise<Value>): Promise<Value> => {
    let giveUpPlace: (() => void) | null = () => {
      giveUpPlace = null;
      held -= 1;
      startNext();
    };
    const timer = setTimeout(() => giveUpPlace?.(), slowMs);
    try {
      return await load();
    } finally {
      clearTimeout(timer);
      running -= 1;
      if (giveUpPlace === null) startNext();
      else giveUpPlace();
    }
  };

  return (rank, load) =>
    new Promise((resolve, reject) => {
      const behind = waiting.findIndex((other) => other.rank < rank);
      const entry = { rank, start: () => void run(load).then(resolve, reject) };
      waiting.splice(behind === -1 ? waiting.length : behind, 0, entry);
      startNext();
    });
}

/** Extensions with calls first, then those with a process, then the others; the order within each group does not change. */
export function inUseFirst<Item>(items: readonly Item[], runningOf: (item: Item) => InUse | null): readonly Item[] {
  const useOf = (running: InUse | null): number => {
    if (running === null) return 2;
    return running.callsInFlight() > 0 ? 0 : running.process().state === 'running' ? 1 : 2;
  };
  const used = items.map((item) => ({ item, use: useOf(runningOf(item)) }));
  return used.sort((one, other) => one.use - other.use).map(({ item }) => item);
}

type InUse = Pick<RunningExtension, 'callsInFlight' | 'process'>;
