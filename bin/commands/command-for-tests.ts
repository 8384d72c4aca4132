import { spawn, spawnSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import type { Command, CommandContext, ExitCode } from './command.ts';
import { runCommandLine } from './run-command-line.ts';

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command in this process and collects its output. */
export async function runCommand(
  command: Command,
  args: readonly string[],
  change: Partial<CommandContext> = {},
): Promise<Ran & { readonly code: ExitCode }> {
  let stdout = '';
  let stderr = '';
  const code = await runCommandLine([command], [command.name, ...args], '0.0.0', {
    cwd: process.cwd(),
    env: { PATH: process.env['PATH'], NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] },
    stdin: Readable.from([]),
    print: async (text) => void (stdout += text),
    note: (line) => void (stderr += `${line}\n`),
    isTerminal: false,
    paint: (_style, text) => text,
    signal: new AbortController().signal,
    ...change,
  });
  return { code, stdout, stderr };
}

const PROGRAM = path.resolve(import.meta.dirname, '../switchboard.mjs');

/** Runs the program with a reader that closes after the first output. */
export function runUntilPrinted(args: readonly string[], cwd: string): Promise<Omit<Ran, 'stdout'>> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [PROGRAM, ...args], { cwd, env: { NODE_ENV: 'test', PATH: process.env['PATH'] } });
    let stderr = '';
    child.stdout.once('data', () => child.stdout.destroy());
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, stderr }));
    child.stdin.end();
  });
}

/** Runs the program with stdout on a full disk. */
export function runOnFullDisk(args: readonly string[]): Omit<Ran, 'stdout'> {
  const full = openSync('/dev/full', 'w');
  try {
    const { status, stderr } = spawnSync(process.execPath, [PROGRAM, ...args], { stdio: ['ignore', full, 'pipe'], encoding: 'utf8' });
    return { code: status, stderr };
  } finally {
    closeSync(full);
  }
}

/** Runs the program as a shell does. */
export function runProgram(args: readonly string[], cwd: string, env: Readonly<Record<string, string>> = {}, input = ''): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [PROGRAM, ...args], { cwd, env: { NODE_ENV: 'test', PATH: process.env['PATH'], ...env } });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, stdout, stderr }));
    child.stdin.end(input);
  });
}
