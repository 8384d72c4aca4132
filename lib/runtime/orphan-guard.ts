import { type ChildProcess, spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { mkdirSync, readdirSync, readFileSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { OWNER_VARIABLE } from './messages.ts';

/**
 * Ends processes that extensions leave behind, even after the host has died.
 *
 * What can go wrong: the host is killed and cannot act; an extension dies while its daemons run on in another group, session and
 * environment; both happen. So a small shell outlives the host: it waits on a pipe that closes with the host, then ends the
 * registered process groups and all processes with the host's mark. The same happens for one process when it ends. If the shell is
 * killed with the host, the next host with the same data folder, which it locks, ends processes with the folder's mark. A program
 * that clears its environment and leaves its process group has no mark: only a control group finds it.
 */
export interface OrphanGuard {
  /** How to start a process. @param mayStart it may start programs: a control group contains them */
  mark(mayStart: boolean): OwnerMark;
  started(pid: number, mark: OwnerMark): void;
  /** @param mayHaveStarted it may have started programs: they are searched */
  ended(pid: number, mark: OwnerMark, mayHaveStarted: boolean): void;
  /** Ends processes of earlier hosts on this data folder; settles with their number. */
  sweepEarlier(): Promise<number>;
  /** Settles when no process is left. */
  close(): Promise<void>;
}

export interface OwnerMark {
  readonly environment: Readonly<Record<string, string>>;
  /** Prepended to the command. */
  readonly prefix: readonly string[];
  /** The file by which a process enters its control group, as the prefix does; null if there is none. */
  readonly controlGroup: string | null;
}

export const NO_MARK: OwnerMark = { environment: {}, prefix: [], controlGroup: null };

export interface OrphanGuardOptions {
  /** Absolute; locked by one host at a time. */
  readonly dataDir: string;
  /** Uses marks only, as on systems without control groups. */
  readonly controlGroups?: false;
}

/**
 * Ignores signals that end a complete service: it must outlive the host. A shell reads the marks: only letters, digits and points.
 * Dead processes have no environment, so a second pass ends the loop.
 */
const GUARD = `
trap '' HUP INT TERM
sweep() {
  round=0
  while [ "$round" -lt 20 ]; do
    found=
    for file in $(grep -lsF -- "${OWNER_VARIABLE}=$1" /proc/[0-9]*/environ); do
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
const MARK_DIGITS = 9;
/** The shell enters the group and then becomes the program, so the program never runs outside of it. */
const ENTER = [SHELL, '-c', 'echo $$ > "$0"; exec "$@"'];
const RESTARTS_MOST = 5;
const CLOSE_MOST_MS = 3_000;

/** For systems without process groups: no marks and no searches. */
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
      for (const pid of living) sendLine(`+ ${pid}`);
    });
    child.unref();
    return child;
  };
  const sendLine = (line: string): void => {
    if (guard.stdin?.writable === true) guard.stdin.write(`${line}\n`);
  };
  let guard = startGuard();

  return {
    mark(mayStart) {
      // Of one length, so that a forked process can replace the mark that it has inherited.
      const mark = `${hostMark}${String((processes += 1)).padStart(MARK_DIGITS, '0')}.`;
      const controlGroup = mayStart ? (controlGroups?.makeFor(mark) ?? null) : null;
      return { environment: { [OWNER_VARIABLE]: mark }, prefix: controlGroup === null ? [] : [...ENTER, controlGroup], controlGroup };
    },
    started(pid) {
      if (pid === 0) return;
      living.add(pid);
      sendLine(`+ ${pid}`);
    },
    ended(pid, mark, mayHaveStarted) {
      if (!living.delete(pid)) return;
      sendLine(`- ${pid}${mayHaveStarted ? ` ${mark.environment[OWNER_VARIABLE] ?? ''}` : ''}`);
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
      const mark = environment.split('\0').find((line) => line.startsWith(`${OWNER_VARIABLE}=`));
      const value = mark?.slice(OWNER_VARIABLE.length + 1) ?? '';
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
 * A control group (cgroup v2) holds a process and its descendants across groups, sessions and environments, and can be killed at
 * once. Linux only, and only if this user may create one: often not in containers, nor in a login session.
 */
interface ControlGroups {
  /** Of this server; contains one group per process. */
  readonly folder: string;
  /** The file by which processes enter the group of this name; null if none can be created. */
  makeFor(name: string): string | null;
}

const NAME = 'switchboard.';
const ROUNDS_MOST = 50;
const ROUND_MS = 20;

/** Returns null if no group can be created. */
export function createControlGroups(name: string): ControlGroups | null {
  const own = ownControlGroup();
  if (own === null) return null;
  const folder = join(own, `${NAME}${name}`);
  if (!isMade(folder)) return null;
  return {
    folder,
    makeFor(process) {
      const group = join(folder, process);
      return isMade(group) ? join(group, 'cgroup.procs') : null;
    },
  };
}

/** Kills processes of earlier servers in their groups; settles with their number. */
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
    // This file exists only in a real cgroup file system.
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

/** A process may have exited, a group may not be empty yet: the next round retries. */
function attempt(act: () => void): void {
  try {
    act();
  } catch {
    // see above
  }
}
