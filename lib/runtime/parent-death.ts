import { spawn } from 'node:child_process';
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * On Linux, `setpriv --pdeathsig SIGKILL` makes a process die with the host even when the host is killed. It replaces
 * itself by the program, so the process id and the process group are the program's own. Tried once: it may be missing,
 * or a version that does not know the option.
 */
const FOLDERS = ['/usr/bin', '/bin', '/usr/local/bin', '/run/current-system/sw/bin'];

/** What to put before a command; empty where it does not work. */
export async function findParentDeathPrefix(): Promise<readonly string[]> {
  if (process.platform !== 'linux') return [];
  for (const folder of FOLDERS) {
    const file = join(folder, 'setpriv');
    if (!(await isExecutable(file))) continue;
    const prefix = [file, '--pdeathsig', 'SIGKILL', '--'];
    if (await works(prefix)) return prefix;
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
