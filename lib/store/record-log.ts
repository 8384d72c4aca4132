import { readRecords, writeRecords } from './record-text.ts';
import type { Chain, NumberedRecord } from './record-text.ts';
import type { RecordFile, RecordFiles } from './record-file.ts';

/**
 * Texts that are on the disk when they are answered, for as long as they are not kept elsewhere: two files that are written in
 * turns. One is begun anew when all that it holds was released. What comes while a write is under way shares the next one, and so
 * does what comes in one turn of the event loop, or in two more where the last write was shared by more.
 *
 * What can go wrong:
 * - the host dies, or the power fails within a write: what was answered is whole, and what follows is not taken (record-text.ts);
 * - the disk refuses (all of that write are refused, the next one takes its place in the file, and a probe notices when it works
 *   again);
 * - nothing is released: the file goes on to grow, a mebibyte at a time, and whoever appends has to stop.
 */
export interface RecordLog {
  /** What was not released when it was opened, in order. */
  readonly found: readonly NumberedRecord[];
  /** `done` gets the number of the record, or why it is not kept. */
  append(text: string, done: (error: Error | null, number: number) => void): void;
  /** All that gets a number from now on, or has one and is not answered, has this one or one above. */
  unanswered(): number;
  /** It will have to begin a file anew that is not released. */
  isToBeReleased(): boolean;
  /** What has a number below is kept elsewhere, for good. */
  release(below: number): void;
  /** Why nothing can be written; null where that worked last. */
  failure(): unknown;
  /** Takes no more, and waits for what it has. */
  close(): Promise<void>;
}

/** In turns: begun anew from so many bytes on. */
const FILE_BYTES = 4_194_304;
const ROOM_BYTES = 1_048_576;
const PROBE_MS = 500;
/** So many turns of the event loop a write is put off for those that shared the last one: what came together comes together again. */
const GATHERING_TURNS = 2;

interface Waiting {
  readonly text: string;
  done(error: Error | null, number: number): void;
}

interface Part {
  readonly file: RecordFile;
  chain: Chain;
  /** The number of its last record; -1 where it has none. */
  last: number;
}

export interface RecordLogOptions {
  readonly files: RecordFiles;
  /** That of the database: what has another one is not taken for its own. */
  readonly key: number;
  /** Below this number all is kept elsewhere. */
  readonly released: number;
  /** What a record is refused with that comes too late. */
  closedError(): Error;
}

export function createRecordLog({ files, key, released, closedError }: RecordLogOptions): RecordLog {
  const found: NumberedRecord[] = [];
  let below = released;
  let [current, other] = [open(files[0]), open(files[1])];
  if (other.last > current.last) [current, other] = [other, current];
  let next = Math.max(released, current.last + 1);
  let waiting: Waiting[] = [];
  /** How many shared the last write. */
  let shared = 0;
  let isScheduled = false;
  let isWriting = false;
  let isClosed = false;
  let failure: unknown = null;
  let probe: NodeJS.Timeout | undefined;
  let idle: (() => void) | null = null;

  function open(file: RecordFile): Part {
    const { records, ...chain } = readRecords(file.read(), key);
    found.push(...records.filter(({ number }) => number >= released));
    return { file, chain, last: records.at(-1)?.number ?? -1 };
  }

  function schedule(): void {
    if (isScheduled || isWriting) return;
    isScheduled = true;
    setImmediate(gather, GATHERING_TURNS);
  }

  function gather(turns: number): void {
    if (turns > 0 && waiting.length < shared) setImmediate(gather, turns - 1);
    else write();
  }

  function write(): void {
    isScheduled = false;
    if (current.last < below) current.chain = { end: 0, check: key };
    else if (current.chain.end >= FILE_BYTES && other.last < below) {
      [current, other] = [other, current];
      current.chain = { end: 0, check: key };
    }
    const part = current;
    const served = waiting;
    waiting = [];
    shared = served.length;
    isWriting = true;
    const texts = served.map(({ text }) => text);
    const { bytes, ...chain } = writeRecords(texts, next, part.chain, part.file.size(), ROOM_BYTES);
    part.file.write(bytes, part.chain.end, (error) => {
      isWriting = false;
      failure = error;
      const first = next;
      if (error === null) {
        part.chain = chain;
        part.last = first + served.length - 1;
        next = first + served.length;
      } else watch();
      for (const [index, { done }] of served.entries()) done(error, first + index);
      if (waiting.length > 0) schedule();
      else idle?.();
    });
  }

  function watch(): void {
    if (isClosed) return;
    probe ??= setTimeout(() => {
      probe = undefined;
      append('', () => undefined);
    }, PROBE_MS).unref();
  }

  function append(text: string, done: Waiting['done']): void {
    if (isClosed) return done(closedError(), -1);
    waiting.push({ text, done });
    schedule();
  }

  return {
    found: found.toSorted((one, two) => one.number - two.number).filter(({ text }) => text !== ''),
    append,
    unanswered: () => next,
    isToBeReleased: () => other.last >= below && current.chain.end >= FILE_BYTES / 2,
    release(number) {
      below = Math.max(below, number);
      if (other.last < below) other.file.shorten(FILE_BYTES);
    },
    failure: () => failure,
    async close() {
      isClosed = true;
      clearTimeout(probe);
      if (waiting.length > 0 || isWriting) {
        await new Promise<void>((resolve) => {
          idle = resolve;
        });
      }
      await Promise.all(files.map((file) => file.close()));
    },
  };
}
