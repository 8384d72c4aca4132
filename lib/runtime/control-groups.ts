import { mkdirSync, readdirSync, readFileSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

/**
 * A control group (cgroup v2) holds a process and everything it starts, whatever group, session or environment that has, and
 * can be killed as a whole. Linux only, and only where this user may create one: often not in containers, nor in a login session.
 */
export interface ControlGroups {
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
export async function killEarlierGroups(wanted: string, own: string): Promise<number> {
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
