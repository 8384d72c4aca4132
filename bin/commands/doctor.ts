import { execFile } from 'node:child_process';
import { accessSync, constants, existsSync, mkdtempSync, readFileSync, rmSync, statfsSync, statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { withoutHostSecrets } from '#lib/host/extension-environment.ts';
import { readConfig } from '#lib/host/read-config.ts';
import { examineDatabase } from '#lib/store/open-store.ts';
import { EXIT } from './command.ts';
import type { Command, CommandContext, Style } from './command.ts';
import { readOptions, refuseWords } from './read-options.ts';

type State = 'ok' | 'warning' | 'failed';

interface Check {
  readonly name: string;
  readonly state: State;
  readonly message: string;
  /** What to do; null if nothing. */
  readonly fix: string | null;
}

const NODE_MAJOR = 26;
const OLDEST_PYTHON = 'import sys; sys.exit(0 if sys.version_info >= (3, 10) else 9)';
const PROGRAM_MS = 10_000;
const HEALTH_MS = 2_000;
const MIB = 1_048_576;
const LOW_DISK_BYTES = 1_024 * MIB;
const FULL_DISK_BYTES = 100 * MIB;
const LEAST_INSTANCES = 128;
const RESERVED_WATCHES = 4_096;
/** A watch per folder; more are not counted. */
const MOST_FOLDERS = 100_000;
const COLOURS: Readonly<Record<State, Style>> = { ok: 'green', warning: 'yellow', failed: 'red' };

export const doctorCommand: Command = {
  name: 'doctor',
  summary: 'Check that this machine can run the server',
  help: `Checks Node, npm, Python, uv, settings, folders, disk space, file watching, the port and the database, with a fix for
each problem. Starts nothing and changes nothing. Run it in the server's folder with the server's variables.

Usage: switchboard doctor [--json]

  --json   one object: {ok, checks: [{name, state, message, fix}]}; state is ok, warning or failed

Exit codes: 0 no failure, 1 a check failed, 2 invalid command line.

  switchboard doctor
  DATABASE_URL=postgres://switchboard@db.example.com/switchboard switchboard doctor --json
`,

  async run(args, context) {
    const { values, positionals } = readOptions(args, { json: { type: 'boolean' } });
    refuseWords(positionals, 'Settings are environment variables.');
    const checks = await examine(context);
    const isOk = checks.every(({ state }) => state !== 'failed');
    if (values.json === true) await context.print(`${JSON.stringify({ ok: isOk, checks })}\n`);
    else for (const check of checks) await context.print(textOf(check, context));
    return isOk ? EXIT.ok : EXIT.failed;
  },
};

function textOf({ name, state, message, fix }: Check, { paint }: CommandContext): string {
  return `${paint(COLOURS[state], state.padEnd(7))}  ${name.padEnd(10)}  ${message}\n${fix === null ? '' : `${' '.repeat(21)}${fix}\n`}`;
}

async function examine(context: CommandContext): Promise<readonly Check[]> {
  const { cwd, env } = context;
  const extensionsDir = path.resolve(cwd, env['EXTENSIONS_DIR'] || 'extensions');
  const dataDir = path.resolve(cwd, env['DATA_DIR'] || 'data');
  const [npm, python, uv, watching, port, database] = await Promise.all([
    examineNpm(context),
    examinePython(context),
    examineUv(context),
    examineWatching(env, extensionsDir),
    examinePort(env),
    examineStorage(env, dataDir),
  ]);
  const folders = [
    examineFolder('extensions', 'EXTENSIONS_DIR', extensionsDir, constants.R_OK),
    examineFolder('data', 'DATA_DIR', dataDir, constants.R_OK | constants.W_OK),
  ];
  return [examineNode(), npm, python, uv, examineSettings(context), ...folders, examineDisk(dataDir), watching, port, database];
}

function ok(name: string, message: string): Check {
  return { name, state: 'ok', message, fix: null };
}

function warning(name: string, message: string, fix: string): Check {
  return { name, state: 'warning', message, fix };
}

function failed(name: string, message: string, fix: string): Check {
  return { name, state: 'failed', message, fix };
}

function examineNode(): Check {
  const { node } = process.versions;
  return Number(node.split('.')[0]) >= NODE_MAJOR
    ? ok('node', `${node}, ${process.execPath}`)
    : failed('node', `${node} is too old`, `Install Node ${NODE_MAJOR} or newer.`);
}

async function examinePython(context: CommandContext): Promise<Check> {
  const given = context.env['PYTHON'] || 'python3';
  const program = /[\\/]/.test(given) ? path.resolve(context.cwd, given) : given;
  const fix = 'Python extensions need Python 3.10 or newer. Install it, or set PYTHON to its path.';
  const version = await outputOf(program, ['--version'], context);
  if (version === null) return warning('python', `${given} not found`, fix);
  if ((await outputOf(program, ['-c', OLDEST_PYTHON], context)) === null) return warning('python', `${version} is too old`, fix);
  if ((await outputOf(program, ['-c', 'import ensurepip, venv'], context)) === null)
    return warning(
      'python',
      `${version} has no venv module, which installs packages of extensions without uv`,
      'Install it (Debian, Ubuntu: apt install python3-venv), or install uv.',
    );
  return ok('python', version);
}

async function examineNpm(context: CommandContext): Promise<Check> {
  const version = await outputOf('npm', ['--version'], context);
  return version === null
    ? warning('npm', 'not found', 'It installs packages of extensions in TypeScript and JavaScript. Install Node with npm.')
    : ok('npm', version);
}

async function examineUv(context: CommandContext): Promise<Check> {
  return ok('uv', (await outputOf('uv', ['--version'], context)) ?? 'not installed; packages of Python extensions are installed with pip');
}

/** First line of a program's output; null if it cannot run or fails. */
async function outputOf(program: string, args: readonly string[], { env, cwd }: CommandContext): Promise<string | null> {
  try {
    const { stdout, stderr } = await promisify(execFile)(program, args, {
      cwd,
      env: { ...withoutHostSecrets(env), NODE_ENV: 'production' },
      timeout: PROGRAM_MS,
    });
    return (stdout || stderr).trim().split('\n', 1)[0] ?? '';
  } catch {
    return null;
  }
}

/** The folders have checks of their own; reading the settings would create them. */
function examineSettings({ env, cwd }: CommandContext): Check {
  const passing = mkdtempSync(path.join(tmpdir(), 'switchboard-doctor-'));
  try {
    const folders = { EXTENSIONS_DIR: path.join(passing, 'extensions'), DATA_DIR: path.join(passing, 'data') };
    const read = readConfig({ ...env, ...folders }, cwd);
    return read.ok
      ? ok('settings', 'all variables are valid')
      : failed('settings', read.reason, 'Correct the variable; docs/operating.md lists all.');
  } finally {
    rmSync(passing, { recursive: true, force: true });
  }
}

function examineFolder(name: string, variable: string, folder: string, mode: number): Check {
  const fix = `Correct its owner or permissions, or set ${variable} to another folder.`;
  const there = existingParent(folder);
  if (there !== folder) {
    return isAllowed(there, constants.W_OK | constants.X_OK)
      ? ok(name, `${folder}; the first start creates it`)
      : failed(name, `${folder} does not exist and cannot be created in ${there}`, fix);
  }
  if (!statSync(folder).isDirectory()) return failed(name, `${folder} is a file`, `Set ${variable} to a folder.`);
  if (!isAllowed(folder, mode | constants.X_OK))
    return failed(name, `${folder} cannot be ${mode === constants.R_OK ? 'read' : 'written'} by this user`, fix);
  return isAllowed(folder, constants.W_OK)
    ? ok(name, folder)
    : ok(name, `${folder}; this user cannot write it, so extensions cannot be edited in the dashboard`);
}

function isAllowed(folder: string, mode: number): boolean {
  try {
    accessSync(folder, mode);
    return true;
  } catch {
    return false;
  }
}

function existingParent(folder: string): string {
  return existsSync(folder) || path.dirname(folder) === folder ? folder : existingParent(path.dirname(folder));
}

function examineDisk(dataDir: string): Check {
  const { bavail, bsize } = statfsSync(existingParent(dataDir));
  const message = `${Math.floor((bavail * bsize) / MIB).toLocaleString('en')} MiB free`;
  const fix = 'Free some space, or set DATA_DIR to a folder on another disk.';
  if (bavail * bsize < FULL_DISK_BYTES) return failed('disk', message, fix);
  return bavail * bsize < LOW_DISK_BYTES ? warning('disk', message, fix) : ok('disk', message);
}

async function examineWatching(env: CommandContext['env'], extensionsDir: string): Promise<Check> {
  const mode = env['WATCH'] || 'native';
  if (mode !== 'native') return ok('watching', `WATCH is ${mode}`);
  const watches = limitOf('max_user_watches');
  const instances = limitOf('max_user_instances');
  if (watches === null || instances === null) return ok('watching', 'this system has no inotify limits');
  const folders = await countFolders(extensionsDir);
  const message = `${folders} folders; limits ${watches} watches, ${instances} instances`;
  if (watches >= folders + RESERVED_WATCHES && instances >= LEAST_INSTANCES) return ok('watching', message);
  return warning(
    'watching',
    message,
    'Raise them: sudo sysctl fs.inotify.max_user_watches=524288 fs.inotify.max_user_instances=1024. Or set WATCH=polling.',
  );
}

function limitOf(name: string): number | null {
  try {
    return Number(readFileSync(`/proc/sys/fs/inotify/${name}`, 'utf8'));
  } catch {
    return null;
  }
}

async function countFolders(folder: string): Promise<number> {
  let count = 1;
  const waiting = [folder];
  for (let next = waiting.pop(); next !== undefined && count < MOST_FOLDERS; next = waiting.pop()) {
    const entries = await readdir(next, { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      if (!entry.isDirectory() || entry.name === 'node_modules' || entry.name.startsWith('.')) continue;
      count += 1;
      waiting.push(path.join(next, entry.name));
    }
  }
  return count;
}

async function examinePort(env: CommandContext['env']): Promise<Check> {
  const host = env['HOST'] || '127.0.0.1';
  const port = Number(env['PORT'] || 3000);
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    return failed('port', `PORT is ${env['PORT']}`, 'Set PORT to a number from 0 to 65535.');
  const code = await listenErrorOf(host, port);
  if (code === null) return ok('port', `${host}:${port} is free`);
  if (code === 'EADDRINUSE') {
    return (await isSwitchboard(host, port))
      ? ok('port', `${host}:${port} is used by a running Switchboard`)
      : failed(
          'port',
          `${host}:${port} is used by another program`,
          'Stop that program, or set PORT to another number; PORT=0 takes any free port.',
        );
  }
  const fix = code === 'EACCES' ? 'Set PORT to a number above 1023.' : 'Set HOST to an address of this machine, such as 127.0.0.1.';
  return failed('port', `${host}:${port} cannot be opened (${code})`, fix);
}

function listenErrorOf(host: string, port: number): Promise<string | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(null)));
  });
}

async function isSwitchboard(host: string, port: number): Promise<boolean> {
  const name = host.includes(':') ? `[${host}]` : host;
  try {
    const answer = await fetch(`http://${name}:${port}/healthz`, { signal: AbortSignal.timeout(HEALTH_MS) });
    const health: unknown = await answer.json();
    return typeof health === 'object' && health !== null && 'snapshot_version' in health;
  } catch {
    return false;
  }
}

async function examineStorage(env: CommandContext['env'], dataDir: string): Promise<Check> {
  const url = env['DATABASE_URL'];
  const examined = await examineDatabase(url ? { url } : { file: path.join(dataDir, 'switchboard.db') });
  if (examined.ok) return ok('database', examined.message);
  return failed(
    'database',
    examined.reason,
    url ? 'Start the database, or correct DATABASE_URL.' : 'Restore a backup, or set DATA_DIR to another folder.',
  );
}
