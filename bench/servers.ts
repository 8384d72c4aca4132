import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import path from 'node:path';
import type { ChildProcess } from 'node:child_process';
import { serverProgram } from '../bin/set-up/bundle-server.mjs';
import { SERVER_ENVIRONMENT } from '../bin/set-up/server-process.mjs';

/**
 * Starts and stops measured servers. What can go wrong: a server exits or never answers, which ends the run with its output; an
 * interrupted run must not leave processes, so all running ones are tracked.
 */
export interface BenchServer {
  readonly pid: number;
  readonly port: number;
  readonly url: string;
  /** `performance.now()` before the spawn. */
  readonly spawnedAt: number;
  /** Output so far. */
  output(): string;
  end(): Promise<void>;
}

export const ROOT = path.dirname(import.meta.dirname);
/** A first start with a thousand extensions takes about a minute. */
const ANSWER_MOST_MS = 240_000;
const END_MOST_MS = 20_000;
const BETWEEN_ASKS_MS = 3;
const living = new Set<ChildProcess>();

/** For an interrupted run: without waiting. */
export function killServers(): void {
  for (const child of living) child.kill('SIGKILL');
}

/** The product, as started by `npm start`. */
export function startProduct(folder: string, settings: Readonly<Record<string, string>> = {}): Promise<BenchServer> {
  return startServer(serverProgram(), {
    EXTENSIONS_DIR: path.join(folder, 'extensions'),
    DATA_DIR: path.join(folder, 'data'),
    WORKSPACE_ROOT: path.join(folder, 'workspace'),
    NODE_COMPILE_CACHE: path.join(ROOT, 'node_modules', '.cache', 'compile'),
    ...SERVER_ENVIRONMENT,
    ...settings,
  });
}

/** Runs a Node program that listens on `PORT`. It may not answer yet. */
export async function startServer(args: readonly string[], settings: Readonly<Record<string, string>> = {}): Promise<BenchServer> {
  const port = await freePort();
  const { PATH = '', HOME = '', NEXT_DIST_DIR, DURABILITY } = process.env;
  const env = {
    PATH,
    HOME,
    PORT: String(port),
    NODE_ENV: 'production' as const,
    NEXT_TELEMETRY_DISABLED: '1',
    DRAIN_SECONDS: '0',
    ...(NEXT_DIST_DIR === undefined ? {} : { NEXT_DIST_DIR }),
    ...(DURABILITY === undefined ? {} : { DURABILITY }),
    ...settings,
  };
  const spawnedAt = performance.now();
  const child = spawn(process.execPath, args, { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] });
  living.add(child);
  const printed: Buffer[] = [];
  child.stdout.on('data', (part: Buffer) => printed.push(part));
  child.stderr.on('data', (part: Buffer) => printed.push(part));
  await once(child, 'spawn');
  child.once('exit', () => living.delete(child));
  return {
    pid: child.pid ?? 0,
    port,
    url: `http://127.0.0.1:${port}`,
    spawnedAt,
    output: () => Buffer.concat(printed).toString('utf8'),
    async end() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const cut = setTimeout(() => child.kill('SIGKILL'), END_MOST_MS);
      child.kill('SIGTERM');
      await once(child, 'exit');
      clearTimeout(cut);
    },
  };
}

/** Polls until `isDone` accepts an answer; resolves with its time. */
export async function askUntil(
  server: BenchServer,
  ask: () => Promise<Response>,
  isDone: (answer: Response) => Promise<boolean>,
  betweenMs = BETWEEN_ASKS_MS,
): Promise<number> {
  for (;;) {
    const answer = await ask().catch(() => null);
    if (answer !== null && (await isDone(answer))) return performance.now();
    if (!isAlive(server.pid)) throw new Error(`A server exited:\n${server.output()}`);
    if (performance.now() - server.spawnedAt > ANSWER_MOST_MS) throw new Error(`A server did not answer as expected:\n${server.output()}`);
    await wait(betweenMs);
  }
}

export function answersOk(server: BenchServer, target: string, betweenMs?: number): Promise<number> {
  return askUntil(server, () => fetch(server.url + target), drained, betweenMs);
}

/** Reads the answer completely, so the connection is reusable. */
export async function drained(answer: Response): Promise<boolean> {
  await answer.arrayBuffer();
  return answer.ok;
}

export function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function freePort(): Promise<number> {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const address = taken.address();
  taken.close();
  await once(taken, 'close');
  if (address === null || typeof address === 'string') throw new Error('no free port was given');
  return address.port;
}
