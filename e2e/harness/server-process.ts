import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { serverProgram } from '../../bin/set-up/bundle-server.mjs';
import { SERVER_ENVIRONMENT } from '../../bin/set-up/server-process.mjs';

/**
 * A server as started by `npm start`: its bundle on the pinned Node, configured by environment variables. What can go wrong:
 * - The server does not start: its output is thrown.
 * - This process is killed: the channel between them closes, and the server stops.
 * - The server does not stop: it is killed, and that is an error.
 */
export interface ServerProcess {
  /** `http://127.0.0.1:<port>` */
  readonly address: string;
  readonly port: number;
  /** Errors logged by the server, except load failures. */
  readonly errors: string[];
  /** Its output by line. */
  readonly output: readonly string[];
  stop(): Promise<void>;
}

export const ROOT = path.resolve(import.meta.dirname, '..', '..');

const READY = /^Switchboard is ready at (http:\/\/127\.0\.0\.1:(\d+))$/;
const START_TIMEOUT_MS = 120_000;
const STOP_TIMEOUT_MS = 60_000;

export async function startServer(env: Readonly<Record<string, string>>): Promise<ServerProcess> {
  const child = spawn(path.join(ROOT, 'node_modules', '.bin', 'node'), serverProgram(), {
    cwd: ROOT,
    env: { NODE_ENV: 'production', ...SERVER_ENVIRONMENT, ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const errors: string[] = [];
  const output: string[] = [];
  const { promise: ready, resolve, reject } = Promise.withResolvers<{ address: string; port: number }>();
  ready.catch(() => undefined);
  readLines(child, (line) => {
    output.push(line);
    const entry = readEntry(line);
    const [, address, port] = READY.exec(entry?.msg ?? '') ?? [];
    if (address !== undefined) resolve({ address, port: Number(port) });
    if (entry?.level === 'error' && entry.code === undefined) errors.push(line);
  });
  child.once('error', reject);
  child.once('exit', (code) => reject(new Error(`The server ended with ${code ?? 'a signal'} before it was ready:\n${output.join('\n')}`)));
  const timer = setTimeout(() => reject(new Error(`The server was not ready in time:\n${output.join('\n')}`)), START_TIMEOUT_MS);
  try {
    const { address, port } = await ready;
    return { address, port, errors, output, stop: () => stop(child, output) };
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

async function stop(child: ChildProcess, output: readonly string[]): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
    await ended;
    clearTimeout(timer);
  }
  if (child.exitCode !== 0)
    throw new Error(`The server ended with ${child.exitCode ?? child.signalCode}, not with 0:\n${output.slice(-20).join('\n')}`);
}

function readLines(child: ChildProcess, onLine: (line: string) => void): void {
  for (const stream of [child.stdout, child.stderr]) if (stream !== null) createInterface({ input: stream }).on('line', onLine);
}

interface Entry {
  readonly level: string;
  readonly msg: string;
  /** Only of load failures. */
  readonly code: string | undefined;
}

function readEntry(line: string): Entry | null {
  if (!line.startsWith('{')) return null;
  const { level, msg, code }: Record<string, unknown> = JSON.parse(line);
  if (typeof level !== 'string' || typeof msg !== 'string') return null;
  return { level, msg, code: typeof code === 'string' ? code : undefined };
}
