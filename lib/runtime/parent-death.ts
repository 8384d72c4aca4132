import { spawn } from 'node:child_process';
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Linux programs that start another program with restrictions. Each replaces itself by the program, which keeps process id and
 * group. Each is probed once: it may be missing, lack the option, or be forbidden (namespaces often are, in containers).
 */
const FOLDERS = ['/usr/bin', '/bin', '/usr/local/bin', '/run/current-system/sw/bin'];

/**
 * `setpriv` makes a process die with the host even if the host is killed. Returns the command prefix; empty if it does not work.
 */
export function findParentDeathPrefix(): Promise<readonly string[]> {
  return findPrefix('setpriv', ['--pdeathsig', 'SIGKILL', '--']);
}

/**
 * `unshare` gives a process an empty network namespace, without even the loopback. Returns the command prefix; empty if it does not
 * work.
 */
export function findNoNetworkPrefix(): Promise<readonly string[]> {
  return findPrefix('unshare', ['--user', '--map-current-user', '--net', '--']);
}

/** Prefixes that work; one that does not is probed again. */
const found = new Map<string, readonly string[]>();

async function findPrefix(program: string, args: readonly string[]): Promise<readonly string[]> {
  if (process.platform !== 'linux') return [];
  const known = found.get(program);
  if (known !== undefined) return known;
  for (const folder of FOLDERS) {
    const file = join(folder, program);
    if (!(await isExecutable(file))) continue;
    const prefix = [file, ...args];
    if (!(await works(prefix))) continue;
    found.set(program, prefix);
    return prefix;
  }
  return [];
}

async function isExecutable(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

async function works([command, ...args]: readonly string[]): Promise<boolean> {
  if (command === undefined) return false;
  return new Promise((resolve) => {
    const probe = spawn(command, [...args, '/bin/sh', '-c', 'exit 0'], { stdio: 'ignore', env: {} as NodeJS.ProcessEnv, timeout: 2_000 });
    probe.once('error', () => resolve(false));
    probe.once('exit', (code) => resolve(code === 0));
  });
}
