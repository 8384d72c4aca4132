import { pino } from 'pino';

/** Time until a full pipe is retried. */
const AGAIN_MS = 50;
const MOST_WAITING_BYTES = 1024 * 1024;
/** pino waits 100 ms after each. */
const LAST_TRIES = 20;

/**
 * The output of the log. When `write` returns, the operating system has the data, so no exit or crash loses it. What
 * can go wrong with the reader:
 * - it is slow, and the pipe is full: pino would block the server until there is space. Here lines are buffered in
 *   memory up to a limit and retried; later ones are dropped;
 * - it has still not read them when the server ends: the exit waits, two seconds at most;
 * - it is gone: output is discarded.
 */
export function openStdout(): (line: string) => void {
  // A pipe opened by Node reports that it is full; otherwise writes would block.
  process.stdout.on('error', () => undefined);
  let triesLeft = 0;
  let again: NodeJS.Timeout | undefined;
  const stream = pino.destination({
    dest: 1,
    sync: true,
    maxLength: MOST_WAITING_BYTES,
    retryEAGAIN: () => {
      triesLeft -= 1;
      return triesLeft >= 0;
    },
  });
  const writeWaiting = (): void => void stream.write('');
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EAGAIN' || again !== undefined) return;
    again = setTimeout(() => {
      again = undefined;
      writeWaiting();
    }, AGAIN_MS).unref();
  });
  process.once('exit', () => {
    triesLeft = LAST_TRIES;
    writeWaiting();
  });
  return (line) => void stream.write(line);
}
