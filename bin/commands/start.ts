import { spawn } from 'node:child_process';
import { copyFileSync, existsSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline/promises';
import { makeFolder } from '#lib/store/make-folder.ts';
import { SERVER_ENVIRONMENT, SERVER_OPTIONS } from '../set-up/server-process.mjs';
import { cannotDo, CommandError, EXIT } from './command.ts';
import type { Command, CommandContext, ExitCode } from './command.ts';
import { readOptions, refuseWords } from './read-options.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
/** In a clone it installs and builds first. */
const CLONE_START = path.join(ROOT, 'bin/start.mjs');
const PACKAGE_SERVER = path.join(ROOT, 'dist/server.js');
const EXAMPLE = path.join(ROOT, 'docs/samples/first/extension.ts');
const EXAMPLE_PLACE = path.join('words', 'extension.ts');
/** The default DATA_DIR of an installed package; it must not get into a repository. */
const OWN_DATA_DIR = '.switchboard';

export const startCommand: Command = {
  name: 'start',
  summary: 'Serve the extensions of this folder; runs without a command too',
  help: `Serves the folder \`extensions\` on http://127.0.0.1:3000: pages, API and the MCP endpoint. Saved files are loaded
automatically. In an empty folder it offers an example; without a terminal it names the command that creates one.

Usage: switchboard [start] [--example]

  --example   create the example if the folder has no extensions, without asking

Settings are environment variables: PORT, HOST, EXTENSIONS_DIR, DATA_DIR and more, see docs/operating.md. Data is stored in
\`.switchboard\`, in a clone in \`data\`. Ctrl C stops the server.

  switchboard
  switchboard start --example
  PORT=8080 EXTENSIONS_DIR=tools switchboard
`,

  async run(args, context) {
    const { values, positionals } = readOptions(args, { example: { type: 'boolean' } });
    refuseWords(positionals, 'Set EXTENSIONS_DIR to serve another folder.');
    const named = context.env['EXTENSIONS_DIR'] || 'extensions';
    const folder = path.resolve(context.cwd, named);
    if (!hasFiles(folder)) await offerExample(folder, named, values.example === true, context);
    hideOwnData(context);
    return serve(context);
  },
};

function hasFiles(folder: string): boolean {
  try {
    return readdirSync(folder).some((name) => !name.startsWith('.'));
  } catch (error) {
    // The server reports every other reason.
    return !(error instanceof Error && Reflect.get(error, 'code') === 'ENOENT');
  }
}

async function offerExample(folder: string, named: string, wanted: boolean, context: CommandContext): Promise<void> {
  const file = path.join(named, EXAMPLE_PLACE);
  if (
    wanted ||
    (context.isTerminal &&
      context.stdin.isTTY === true &&
      (await confirm(`The folder ${named} has no extensions yet. Create ${file}?`, context)))
  ) {
    try {
      makeFolder(path.join(folder, path.dirname(EXAMPLE_PLACE)));
      copyFileSync(EXAMPLE, path.join(folder, EXAMPLE_PLACE));
    } catch (error) {
      throw cannotDo(`${file} could not be written (${messageOf(error)}). Set EXTENSIONS_DIR to a writable folder.`);
    }
    context.note(`Created ${file}. Edit and save it while the server runs.`);
    return;
  }
  context.note(
    `The folder ${named} has no extensions yet. To create one, run \`switchboard new tool count_lines\`, or start with --example. The server loads it when it appears.`,
  );
}

async function confirm(question: string, { signal }: CommandContext): Promise<boolean> {
  const asked = createInterface({ input: process.stdin, output: process.stdout });
  // Ctrl D leaves the question without an answer.
  const ended = new Promise<string>((resolve) => asked.once('close', () => resolve('no')));
  asked.once('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  try {
    const answer = await Promise.race([asked.question(`${question} [Y/n] `, { signal }), ended]);
    return /^(y|yes|)$/i.test(answer.trim());
  } catch (error) {
    if (signal.aborted) throw new CommandError(EXIT.cancelled, 'Interrupted.');
    throw error;
  } finally {
    asked.close();
  }
}

function hideOwnData({ cwd, env }: CommandContext): void {
  if (env['DATA_DIR'] !== OWN_DATA_DIR) return;
  const ignore = path.join(cwd, OWN_DATA_DIR, '.gitignore');
  if (existsSync(ignore)) return;
  try {
    makeFolder(path.dirname(ignore));
    writeFileSync(ignore, '*\n');
  } catch {
    // The server reports why the folder is not writable.
  }
}

/** Replaces this process by the server if the platform supports it, which avoids a second process. */
async function serve(context: CommandContext): Promise<ExitCode> {
  const isClone = existsSync(CLONE_START);
  const args = isClone ? [CLONE_START] : [...SERVER_OPTIONS, PACKAGE_SERVER];
  const env = { ...SERVER_ENVIRONMENT, ...context.env, NODE_ENV: 'production' as const };
  if (process.platform !== 'win32' && process.execve !== undefined) process.execve(process.execPath, [process.execPath, ...args], env);
  const child = spawn(process.execPath, args, { stdio: 'inherit', env });
  context.signal.addEventListener('abort', () => child.kill('SIGTERM'), { once: true });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', resolve);
  });
  return code === 0 ? EXIT.ok : context.signal.aborted ? EXIT.cancelled : EXIT.unavailable;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
