import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { bundleServer, serverProgram } from '../../bin/set-up/bundle-server.mjs';
import { PROGRAMS_DIR } from './shared-programs.ts';

/** A server in a separate process with its own folders, on a PostgreSQL database. It can be killed and paused. */
export interface InstanceProcess {
  readonly url: string;
  readonly pid: number;
  readonly port: number;
  /** Log lines. */
  readonly log: readonly string[];
  signal(signal: NodeJS.Signals): void;
  /** Exit code; null after a signal. */
  readonly ended: Promise<number | null>;
  /** Kills it if it runs, and removes its folders. */
  remove(): Promise<void>;
}

const SOURCE = path.join(import.meta.dirname, 'instance-process.ts');
const BUNDLES = path.resolve(import.meta.dirname, '../../.cache/instances');
let program: Promise<readonly string[]> | null = null;

/** Arguments of Node. A bundle starts in half the time of the sources. */
export function instanceProgram(): Promise<readonly string[]> {
  program ??= bundleServer(BUNDLES, SOURCE).then(() => serverProgram(BUNDLES, SOURCE));
  return program;
}

const KEY = 'the key of all instances of a test';

/** @param clockAheadMs difference of its clock from the clock of the machine */
export async function startInstance(
  database: string,
  files: Readonly<Record<string, string>>,
  variables: Readonly<Record<string, string>> = {},
  clockAheadMs = 0,
): Promise<InstanceProcess> {
  const folder = mkdtempSync(path.join(tmpdir(), 'switchboard-instance-'));
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(folder, 'extensions', name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  const { PATH = '', NODE_COMPILE_CACHE = '' } = process.env;
  const clock = `globalThis.Date = class extends Date { constructor(...given) { given.length === 0 ? super(Date.now()) : super(...given); } static now() { return super.now() + ${clockAheadMs}; } };`;
  const options = clockAheadMs === 0 ? [] : ['--import', `data:text/javascript,${encodeURIComponent(clock)}`];
  const child = spawn(process.execPath, [...options, ...(await instanceProgram()), PROGRAMS_DIR], {
    cwd: folder,
    env: {
      NODE_ENV: 'production',
      PATH,
      NODE_COMPILE_CACHE,
      HOME: folder,
      PORT: '0',
      DATABASE_URL: database,
      SECRETS_KEY: KEY,
      LOG_LEVEL: 'info',
      ...variables,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const log: string[] = [];
  createInterface(child.stderr).on('line', (line) => log.push(line));
  const ended = once(child, 'exit').then(() => child.exitCode);
  const lines = createInterface(child.stdout);
  const first: unknown = await Promise.race([once(lines, 'line').then(([line]: unknown[]) => line), ended]);
  const port = Number(first);
  if (child.exitCode !== null || child.pid === undefined || !(port > 0)) {
    rmSync(folder, { recursive: true, force: true });
    throw new Error(`The instance did not start: ${log.join('\n')}`);
  }
  return {
    url: `http://127.0.0.1:${port}`,
    pid: child.pid,
    port,
    log,
    signal: (signal) => void child.kill(signal),
    ended,
    async remove() {
      // Its processes end with it.
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
      await ended;
      rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
    },
  };
}
