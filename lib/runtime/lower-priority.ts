import { writeFile } from 'node:fs/promises';
import { constants, getPriority, setPriority } from 'node:os';
import type { ChildProcess } from 'node:child_process';

/**
 * Lowers the priority of a process below the server's. Call it right after the start: Linux changes one thread, and new threads
 * inherit from it. The process must lead a session of its own (`detached`), or the server's session is lowered with it.
 *
 * What can go wrong: the system refuses, or the process is gone; then the priority stays as it is. Linux may divide processor time
 * between sessions first (autogroup, sched(7)) and looks at priorities only inside of each; so the session gets the priority as
 * well. Without privileges, the kernel accepts one such change in 100 ms.
 */
export function lowerPriority(child: ChildProcess): void {
  const { pid } = child;
  if (pid === undefined) return;
  try {
    setPriority(pid, Math.min(getPriority() + LOWER_BY, constants.priority.PRIORITY_LOW));
  } catch {
    return;
  }
  if (process.platform === 'linux') void lowerSession(child, pid);
}

/** A unit of nice(2): with 5, a process gets a third of the processor time that one of the server's gets. */
const LOWER_BY = 5;
const TRIES = 50;
const RETRY_MS = 110;

async function lowerSession(child: ChildProcess, pid: number, tried = 1): Promise<void> {
  try {
    await writeFile(`/proc/${pid}/autogroup`, String(LOWER_BY));
  } catch (error) {
    if (!isBusy(error) || tried === TRIES) return;
    setTimeout(() => {
      if (child.exitCode === null && child.signalCode === null) void lowerSession(child, pid, tried + 1);
    }, RETRY_MS).unref();
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EAGAIN';
}
