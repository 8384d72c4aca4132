import { dirname } from 'node:path';
import { createMemoryWatch } from './memory-watch.ts';
import { startNodeProcess } from './node-process.ts';
import { findParentDeathPrefix } from './parent-death.ts';
import { createSchemaGuard } from './schema-guard.ts';
import type { SchemaGuard } from './schema-guard.ts';

const MEGABYTE = 1_048_576;

export interface LoneGuardOptions {
  readonly memoryMb: number;
  readonly maxResultBytes: number;
  readonly workspaceRoot: string;
  /** Where its program is written. */
  readonly cacheDir: string;
}

/** A guard that belongs to no runtime: for schemas that people write. Its process starts at the first check and ends with `close`. */
export function createLoneGuard({ memoryMb, maxResultBytes, workspaceRoot, cacheDir }: LoneGuardOptions): SchemaGuard {
  const memory = createMemoryWatch(memoryMb * MEGABYTE);
  const guard = createSchemaGuard({
    cacheDir,
    start: async (childProgram) => {
      const process = startNodeProcess(
        { childProgram, prefix: await findParentDeathPrefix(), memoryMb, maxResultBytes, workspaceRoot, environment: {} },
        [`--allow-fs-read=${dirname(childProgram)}`],
      );
      const unwatch = memory.watch(process.pid, (bytes) => process.kill('memory_limit', `${Math.round(bytes / MEGABYTE)} MB`));
      void process.ended.then(unwatch);
      return process;
    },
  });
  return {
    ...guard,
    async close() {
      await guard.close();
      memory.close();
    },
  };
}
