import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { styleText } from 'node:util';
import * as z from 'zod';
import { EXIT, READER_GONE } from './command.ts';
import type { CommandContext } from './command.ts';
import { COMMANDS } from './command-list.ts';
import { runCommandLine, reportBug } from './run-command-line.ts';

/**
 * The process of a command. What can go wrong: the reader of stdout closes (`| head`), which is success; stdout is not
 * writable (full disk); a signal, which closes resources first, and at the second time exits at once; an unhandled error,
 * which is a bug.
 */

const SAME_SIGNAL_MS = 500;
const aborting = new AbortController();
let signalled = 0;

for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const) {
  process.on(signal, () => {
    if (aborting.signal.aborted && performance.now() - signalled > SAME_SIGNAL_MS) process.exit(code);
    signalled = performance.now();
    aborting.abort(signal);
  });
}
process.on('uncaughtException', (error) => process.exit(reportBug(error, context)));
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') return aborting.abort(READER_GONE);
  context.note(`switchboard: Output cannot be written (${error.message}).`);
  process.exit(EXIT.unavailable);
});

const context: CommandContext = {
  cwd: process.cwd(),
  env: process.env,
  stdin: process.stdin,
  async print(text) {
    if (aborting.signal.reason === READER_GONE || process.stdout.write(text)) return;
    await once(process.stdout, 'drain', { signal: aborting.signal }).catch(() => undefined);
  },
  note: (line) => void process.stderr.write(`${line}\n`),
  isTerminal: process.stdout.isTTY,
  paint: (style, text) => styleText(style, text, { stream: process.stdout, validateStream: true }),
  signal: aborting.signal,
};

const manifest = z.object({ version: z.string() }).parse(JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')));
const given = process.argv.slice(2);
process.exitCode = await runCommandLine(COMMANDS, given.length === 0 ? ['start'] : given, manifest.version, context);
// Open handles may keep the process alive; the work is done.
if (process.stdout.writableLength > 0) await once(process.stdout, 'drain').catch(() => undefined);
process.exit();
