import { pino } from 'pino';

/** Until a full pipe is tried again. */
const AGAIN_MS = 50;
const MOST_WAITING_BYTES = 1024 * 1024;
/** pino waits 100 ms after each. */
const LAST_TRIES = 20;

/**
 * Where the log goes. What `write` was given is with the system when it returns, so neither an exit nor a crash after it loses
 * the line. What can go wrong is whoever reads it:
 * - it is slow, and the pipe is full: pino would stop the whole server until there is room. Here lines wait in memory, as many
 *   as there is room for, and are tried again; later ones are dropped;
 * - it has still not read them when the server ends: the end waits, two seconds at most;
 * - it is gone: what is written goes nowhere, as nobody wants it.
 */
export function openStdout(): (line: string) => void {
  // Opened by Node, a pipe says that it is full; it would hold us up otherwise.
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
