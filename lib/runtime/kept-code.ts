import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { codeFileIn, KEEP_CODE } from './code-file.ts';
import type { ChildProcess } from 'node:child_process';

/**
 * Runs a program once to write V8's code cache, which later starts use (docs/performance.md). A separate process does it and runs
 * only our program, because this file decides what later processes execute. If it fails, later starts are only slower.
 */
export interface CodeKeeper {
  /** @param childProgram from `buildChildProgram` */
  keep(childProgram: string): void;
  /** Ends running processes; settles when they have exited. */
  close(): Promise<void>;
}

export function createCodeKeeper(): CodeKeeper {
  const running = new Map<ChildProcess, Promise<void>>();
  return {
    keep(childProgram) {
      if (existsSync(codeFileIn(dirname(childProgram)))) return;
      // Descriptor 3 links it to the host: it ends with the host.
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
