import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { codeCacheFileIn, WRITE_CODE_CACHE } from './code-cache-file.ts';
import type { ChildProcess } from 'node:child_process';

/**
 * Runs a program once to write V8's code cache, which later starts use (docs/performance.md). A separate process does it and runs
 * only our program, because this file decides what later processes execute. If it fails, later starts are only slower.
 */
export interface CodeCacheWriter {
  /** @param childProgram from `buildChildProgram` */
  write(childProgram: string): void;
  /** Ends running processes; settles when they have exited. */
  close(): Promise<void>;
}

export function createCodeCacheWriter(): CodeCacheWriter {
  const running = new Map<ChildProcess, Promise<void>>();
  return {
    write(childProgram) {
      if (existsSync(codeCacheFileIn(dirname(childProgram)))) return;
      // Descriptor 3 links it to the host: it ends with the host.
      const writer = spawn(process.execPath, [childProgram, WRITE_CODE_CACHE], {
        env: {} as NodeJS.ProcessEnv,
        cwd: '/',
        stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
        windowsHide: true,
      });
      const gone = new Promise<void>((resolve) => {
        writer.once('exit', () => resolve());
        writer.once('error', () => resolve());
      }).finally(() => running.delete(writer));
      // Node creates no streams when no descriptor is left.
      const { stdio }: Partial<Pick<typeof writer, 'stdio'>> = writer;
      stdio?.[3]?.on('error', () => undefined);
      running.set(writer, gone);
    },
    async close() {
      for (const writer of running.keys()) writer.kill('SIGKILL');
      await Promise.all(running.values());
    },
  };
}
