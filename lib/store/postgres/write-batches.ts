/**
 * Writes that arrive in one turn of the event loop, and while an earlier group is written, go together. When a group
 * fails, each of it is written alone, so that only the faulty one is refused.
 */
export interface WriteBatches<Item, Answer> {
  add(item: Item): Promise<Answer>;
  /** Resolves when everything added is answered. */
  settled(): Promise<void>;
}

const GROUP_MOST = 256;
/** A statement of many megabytes would block the event loop while it is made. */
const GROUP_CHARACTERS = 1_048_576;

interface Entry<Item, Answer> {
  readonly item: Item;
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}

/**
 * @param atOnce groups under way at once; with one, rows are numbered in the order of their arrival
 * @param sizeOf the characters of an item, about
 */
export function createWriteBatches<Item, Answer>(
  atOnce: number,
  sizeOf: (item: Item) => number,
  write: (items: readonly Item[]) => Promise<readonly Answer[]>,
): WriteBatches<Item, Answer> {
  let waiting: Entry<Item, Answer>[] = [];
  let underWay = 0;
  let isScheduled = false;
  let onIdle: (() => void)[] = [];

  function schedule(): void {
    if (isScheduled || underWay >= atOnce || waiting.length === 0) return;
    isScheduled = true;
    setImmediate(() => {
      isScheduled = false;
      const group = takeGroup();
      underWay += 1;
      void writeGroup(group).finally(() => {
        underWay -= 1;
        schedule();
        if (underWay === 0 && waiting.length === 0) for (const idle of onIdle.splice(0)) idle();
      });
      schedule();
    });
  }

  function takeGroup(): readonly Entry<Item, Answer>[] {
    let count = 0;
    let size = 0;
    for (const { item } of waiting) {
      if (count === GROUP_MOST || size >= GROUP_CHARACTERS) break;
      size += sizeOf(item);
      count += 1;
    }
    const group = waiting.slice(0, count);
    waiting = waiting.slice(count);
    return group;
  }

  async function writeGroup(group: readonly Entry<Item, Answer>[]): Promise<void> {
    const [only] = group;
    try {
      const answers = await write(group.map(({ item }) => item));
      for (const [at, entry] of group.entries()) {
        const answer = answers[at];
        if (answer === undefined) entry.reject(new Error('A write has no answer.'));
        else entry.resolve(answer);
      }
    } catch (error) {
      if (group.length === 1) only?.reject(error);
      else for (const entry of group) await writeGroup([entry]);
    }
  }

  return {
    add: (item) =>
      new Promise<Answer>((resolve, reject) => {
        waiting.push({ item, resolve, reject });
        schedule();
      }),
    settled: () =>
      underWay === 0 && waiting.length === 0
        ? Promise.resolve()
        : new Promise<void>((resolve) => {
            onIdle = [...onIdle, resolve];
          }),
  };
}
