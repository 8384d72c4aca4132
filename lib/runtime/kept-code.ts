import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { codeFileIn, KEEP_CODE } from './code-file.ts';
import type { ChildProcess } from 'node:child_process';

/**
 * Has a program run once for the code that V8 makes of it, which later starts take instead of compiling it (docs/performance.md). A
 * process of its own does it, which runs nothing but our program, as whoever writes that file decides what all others run.
 * Nobody waits for it, and what goes wrong costs later starts their time and nothing else.
 */
export interface CodeKeeper {
  /** @param childProgram as `buildChildProgram` gives it */
  keep(childProgram: string): void;
  /** Ends what still runs; settles when it is gone. */
  close(): Promise<void>;
}

export function createCodeKeeper(): CodeKeeper {
  const running = new Map<ChildProcess, Promise<void>>();
  return {
    keep(childProgram) {
      if (existsSync(codeFileIn(dirname(childProgram)))) return;
      // Descriptor 3 is its link to us: when we are gone, so is it.
      const keeper = spawn(process.execPath, [childProgram, KEEP_CODE], {
        env: {} as NodeJS.ProcessEnv,
        cwd: '/',
        stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
        windowsHide: true,
      });
      const gone = new Promise<void>((resolve) => {
        keeper.once('exit', () => resolve());
        keeper.once('error', () => resolve());
      }).finally(() => running.delete(keeper));
      keeper.stdio[3]?.on('error', () => undefined);
      running.set(keeper, gone);
    },
    async close() {
      for (const keeper of running.keys()) keeper.kill('SIGKILL');
      await Promise.all(running.values());
    },
  };
}
