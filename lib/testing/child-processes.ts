import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

export interface ChildProcess {
  readonly pid: number;
  readonly command: string;
}

/** Live direct children of a process, without zombies. */
export function childrenOf(parent: number): readonly ChildProcess[] {
  return process.platform === 'linux' ? fromProc(parent) : fromPs(parent);
}

/** Live descendants of a process. */
export function descendantsOf(parent: number): readonly ChildProcess[] {
  return childrenOf(parent).flatMap((child) => [child, ...descendantsOf(child.pid)]);
}

/** Whether a process with this id is alive (a zombie is not). */
export function isAlive(pid: number): boolean {
  if (process.platform === 'linux') {
    const found = readStat(pid);
    return found !== null && found.state !== 'Z';
  }
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

function fromProc(parent: number): readonly ChildProcess[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .flatMap((pid) => {
      const stat = readStat(pid);
      if (stat === null || stat.parent !== parent || stat.state === 'Z') return [];
      return [{ pid, command: readProc(pid, 'cmdline')?.replaceAll('\0', ' ').trim() ?? '' }];
    });
}

function readStat(pid: number): { readonly state: string; readonly parent: number } | null {
  // The program name is in parentheses and may contain spaces and parentheses.
  const fields = readProc(pid, 'stat')?.split(')').at(-1)?.trim().split(' ');
  const [state, parent] = fields ?? [];
  return state === undefined ? null : { state, parent: Number(parent) };
}

function readProc(pid: number, name: string): string | null {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    return null;
  }
}

function fromPs(parent: number): readonly ChildProcess[] {
  const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,ppid=,stat=,command='], { encoding: 'utf8' });
  return stdout.split('\n').flatMap((row) => {
    const [pid, ppid, state, ...command] = row.trim().split(/\s+/);
    const isLiving = Number(ppid) === parent && state?.startsWith('Z') === false && !command.join(' ').startsWith('ps -A');
    return isLiving ? [{ pid: Number(pid), command: command.join(' ') }] : [];
  });
}
