import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { OWNER_MARK } from './owner-mark.ts';
import type { ChildProcess } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

/**
 * Ends what extensions leave behind, also when nobody is there to do it any more.
 *
 * What can go wrong: the host is killed, and with it every process it could act by; an extension dies and what it had started
 * lives on, in a process group and a session of its own, with another environment; both, one after the other. So a small
 * shell outlives the host for a moment: it waits on a pipe that closes with the host, however that dies, then ends the
 * process groups it was told of and whatever bears the host's mark. The same is done for one process when it ends. Where the
 * shell is killed together with the host, the next host on the same data folder ends what bears the folder's mark: it holds
 * the folder alone. A program that clears its environment and leaves its group by itself bears no mark: it is found where
 * processes can be kept in a control group, and nowhere else.
 */
export interface OrphanGuard {
  /** How a process is to be started. @param mayStart it could start programs: those are kept in a group with it */
  mark(mayStart: boolean): OwnerMark;
  started(pid: number, mark: OwnerMark): void;
  /** @param mayHaveStarted it could start programs: they are looked for */
  ended(pid: number, mark: OwnerMark, mayHaveStarted: boolean): void;
  /** Ends what an earlier host on this data folder left; settles with how many they were. */
  sweepEarlier(): Promise<number>;
  /** Settles when nothing is left of any process. */
  close(): Promise<void>;
}

export interface OwnerMark {
  readonly environment: Readonly<Record<string, string>>;
  /** To be put before its command. */
  readonly prefix: readonly string[];
}

export const NO_MARK: OwnerMark = { environment: {}, prefix: [] };

export interface OrphanGuardOptions {
  /** Absolute; one host at a time holds it. */
  readonly dataDir: string;
  /** Marks alone, as where no control group can be made. */
  readonly controlGroups?: false;
}

/** Signals that end a whole service at once are not for it: it goes after the host. Marks are read by a shell: letters, digits and points only. Dead processes have no environment, so a second look ends the loop. */
const GUARD = `
trap '' HUP INT TERM
sweep() {
  round=0
  while [ "$round" -lt 20 ]; do
    found=
    for file in $(grep -lsF -- "${OWNER_MARK}=$1" /proc/[0-9]*/environ); do
      pid=\${file#/proc/}
      kill -9 "\${pid%/environ}" && found=1
    done
    [ -z "$found" ] && return
    round=$((round + 1))
  done
}
empty() {
  [ -d "$1" ] || return
  round=0
  until rmdir "$1"/*/ "$1"; [ ! -d "$1" ]; do
    [ "$round" -ge 100 ] && return
    echo 1 > "$1/cgroup.kill" || kill -9 $(cat "$1"/cgroup.procs "$1"/*/cgroup.procs)
    sleep 0.02
    round=$((round + 1))
  done
}
groups=' '
while read -r what pid mark; do
  case $what in
    +) groups="$groups$pid " ;;
    -) groups="\${groups%% $pid *} \${groups#* $pid }"; kill -9 "-$pid"; [ -n "$mark" ] && { [ -n "$2" ] && empty "$2/$mark"; sweep "$mark"; } ;;
  esac
done
for pid in $groups; do kill -9 "-$pid"; done
[ -n "$2" ] && empty "$2"
sweep "$1"
`;
const SHELL = '/bin/sh';
const RESTARTS_MOST = 5;
const CLOSE_MOST_MS = 3_000;

/** Nothing is marked or looked for: for systems without process groups. */
const NO_GUARD: OrphanGuard = {
  mark: () => NO_MARK,
  started() {},
  ended() {},
  sweepEarlier: async () => 0,
  async close() {},
};

/** Owns a small process until `close` has settled. */
export function createOrphanGuard({ dataDir, controlGroups: isAllowed }: OrphanGuardOptions): OrphanGuard {
  if (process.platform === 'win32') return NO_GUARD;
  const folderMark = `${createHash('sha256').update(dataDir).digest('hex').slice(0, 16)}.`;
  const hostMark = `${folderMark}${randomBytes(6).toString('hex')}.`;
  const living = new Set<number>();
  const controlGroups = isAllowed === false ? null : createControlGroups(hostMark);
  let processes = 0;
  let restarts = 0;
  let isClosing = false;

  const startGuard = (): ChildProcess => {
    const child = spawn(SHELL, ['-c', GUARD, 'switchboard-orphan-guard', hostMark, controlGroups?.folder ?? ''], {
      cwd: '/',
      env: { PATH: '/usr/local/bin:/usr/bin:/bin' } as Partial<NodeJS.ProcessEnv> as NodeJS.ProcessEnv,
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
    });
    child.stdin?.on('error', () => undefined);
    child.once('error', () => undefined); // without a shell the next start still sweeps
    child.once('exit', () => {
      if (isClosing || restarts >= RESTARTS_MOST) return;
      restarts += 1;
      guard = startGuard();
      for (const pid of living) tell(`+ ${pid}`);
    });
    child.unref();
    return child;
  };
  const tell = (line: string): void => {
    if (guard.stdin?.writable === true) guard.stdin.write(`${line}\n`);
  };
  let guard = startGuard();

  return {
    mark(mayStart) {
      const mark = `${hostMark}${(processes += 1)}.`;
      return { environment: { [OWNER_MARK]: mark }, prefix: mayStart ? (controlGroups?.prefixFor(mark) ?? []) : [] };
    },
    started(pid) {
      if (pid === 0) return;
      living.add(pid);
      tell(`+ ${pid}`);
    },
    ended(pid, mark, mayHaveStarted) {
      if (!living.delete(pid)) return;
      tell(`- ${pid}${mayHaveStarted ? ` ${mark.environment[OWNER_MARK] ?? ''}` : ''}`);
    },
    async sweepEarlier() {
      const inGroups = await killEarlierGroups(folderMark, hostMark);
      return inGroups + (await endMarked(folderMark, hostMark));
    },
    async close() {
      isClosing = true;
      if (guard.pid === undefined || guard.exitCode !== null || guard.signalCode !== null) return;
      const { promise: gone, resolve } = Promise.withResolvers<void>();
      guard.once('exit', () => resolve());
      const cut = setTimeout(() => guard.kill('SIGKILL'), CLOSE_MOST_MS);
      guard.stdin?.end();
      await gone;
      clearTimeout(cut);
    },
  };
}

async function endMarked(wanted: string, own: string): Promise<number> {
  if (process.platform !== 'linux') return 0;
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const ended = await Promise.all(
    pids.map(async (pid) => {
      const environment = await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '');
      const mark = environment.split('\0').find((line) => line.startsWith(`${OWNER_MARK}=`));
      const value = mark?.slice(OWNER_MARK.length + 1) ?? '';
      if (!value.startsWith(wanted) || value.startsWith(own)) return false;
      try {
        return process.kill(Number(pid), 'SIGKILL');
      } catch {
        return false;
      }
    }),
  );
  return ended.filter(Boolean).length;
}

/**
 * A control group (cgroup v2) holds a process and everything it starts, whatever group, session or environment that has, and
 * can be killed as a whole. Linux only, and only where this user may create one: often not in containers, nor in a login session.
 */
interface ControlGroups {
  /** Of this server; it holds one for each process. */
  readonly folder: string;
  /** What to put before the command of a process so that it starts inside of the group of this name; empty where none can be made. */
  prefixFor(name: string): readonly string[];
}

const NAME = 'switchboard.';
const ROUNDS_MOST = 50;
const ROUND_MS = 20;

/** Null: none can be made here. */
export function createControlGroups(name: string): ControlGroups | null {
  const own = ownControlGroup();
  if (own === null) return null;
  const folder = join(own, `${NAME}${name}`);
  if (!isMade(folder)) return null;
  return {
    folder,
    prefixFor(process) {
      const group = join(folder, process);
      // The shell enters the group and becomes the program, which therefore never runs outside of it.
      return isMade(group) ? ['/bin/sh', '-c', 'echo $$ > "$0"; exec "$@"', join(group, 'cgroup.procs')] : [];
    },
  };
}

/** Kills what earlier servers left in their groups; settles with how many processes that were. */
async function killEarlierGroups(wanted: string, own: string): Promise<number> {
  const parent = ownControlGroup();
  if (parent === null) return 0;
  const names = foldersIn(parent).filter((name) => name.startsWith(`${NAME}${wanted}`) && name !== `${NAME}${own}`);
  const killed = await Promise.all(names.map((name) => killGroup(join(parent, name))));
  return killed.reduce((sum, count) => sum + count, 0);
}

async function killGroup(folder: string): Promise<number> {
  const groups = [...foldersIn(folder).map((name) => join(folder, name)), folder];
  const pids = new Set(groups.flatMap(processesIn));
  for (let round = 0; round < ROUNDS_MOST; round += 1) {
    for (const pid of groups.flatMap(processesIn)) attempt(() => process.kill(pid, 'SIGKILL'));
    for (const group of groups) attempt(() => rmdirSync(group));
    if (foldersIn(folder).length === 0 && processesIn(folder).length === 0) break;
    await wait(ROUND_MS);
  }
  return pids.size;
}

function ownControlGroup(): string | null {
  if (process.platform !== 'linux') return null;
  try {
    const path = /^0::(?<path>\/.*)$/m.exec(readFileSync('/proc/self/cgroup', 'utf8'))?.groups?.['path'];
    const mount = /^\S+ \S+ \S+ \/ (?<mount>\S+) .* - cgroup2 /m.exec(readFileSync('/proc/self/mountinfo', 'utf8'))?.groups?.['mount'];
    return path === undefined || mount === undefined ? null : join(mount, path);
  } catch {
    return null;
  }
}

function isMade(folder: string): boolean {
  try {
    mkdirSync(folder);
    // A file system that only looks like one has no such file.
    readFileSync(join(folder, 'cgroup.procs'));
    return true;
  } catch {
    return false;
  }
}

function foldersIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));
  } catch {
    return [];
  }
}

function processesIn(group: string): readonly number[] {
  try {
    return readFileSync(join(group, 'cgroup.procs'), 'latin1').split('\n').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

/** A process may be gone by now, a group not yet be empty: the next round sees. */
function attempt(act: () => void): void {
  try {
    act();
  } catch {
    // as said
  }
}
