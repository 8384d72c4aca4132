import type { CheckResult } from '#lib/calls/judge-call.ts';
import type { Redactor } from '#lib/calls/redact.ts';
import { createRequiredChecks } from '#lib/calls/required-checks.ts';
import type { RequiredChecks } from '#lib/calls/required-checks.ts';
import type { SchemaGuard } from '#lib/runtime/schema-guard.ts';
import type { Store } from '#lib/store/store.ts';
import type { HostConfig } from './config.ts';
import { dirname } from 'node:path';
import { createMemoryWatch } from '#lib/runtime/memory-watch.ts';
import { startNodeProcess } from '#lib/runtime/node-process.ts';
import { findParentDeathPrefix } from '#lib/runtime/parent-death.ts';
import { createSchemaGuard } from '#lib/runtime/schema-guard.ts';

export interface HostRequiredChecks {
  /** Required checks of new revisions. */
  readonly required: RequiredChecks;
  /** User-written result schemas are compiled in a separate process. */
  readonly guard: SchemaGuard;
  close(): Promise<void>;
}

/** Created before the loader, which uses it, and closed after it. */
export async function createHostRequiredChecks(
  config: HostConfig,
  cacheDir: string,
  store: Store,
  redactor: Redactor,
): Promise<HostRequiredChecks> {
  const guard = createLoneGuard({
    memoryMb: config.extensionMemoryMb,
    maxResultBytes: config.maxResultBytes,
    workspaceRoot: config.workspaceRoot,
    cacheDir,
  });
  const required = createRequiredChecks({
    saved: store.savedCalls,
    required: await store.savedCalls.required(),
    checkResult: checkResultIn(guard),
    callTimeoutMs: config.callTimeoutMs,
    redactor,
  });
  return { required, guard, close: () => guard.close() };
}

export function checkResultIn(guard: SchemaGuard): CheckResult {
  return async (schema, text) => {
    const checked = await guard.check(JSON.stringify(schema), 'result', text);
    return checked.ok ? null : checked.error;
  };
}

const MEGABYTE = 1_048_576;

interface LoneGuardOptions {
  readonly memoryMb: number;
  readonly maxResultBytes: number;
  readonly workspaceRoot: string;
  /** Folder for its program. */
  readonly cacheDir: string;
}

/** A guard process of no runtime, for user-written schemas. It starts at the first check and ends with `close`. */
function createLoneGuard({ memoryMb, maxResultBytes, workspaceRoot, cacheDir }: LoneGuardOptions): SchemaGuard {
  const memory = createMemoryWatch(memoryMb * MEGABYTE);
  const guard = createSchemaGuard({
    cacheDir,
    start: async (childProgram) => {
      const process = startNodeProcess(
        { childProgram, prefix: await findParentDeathPrefix(), memoryMb, maxResultBytes, workspaceRoot, environment: {} },
        [`--allow-fs-read=${dirname(childProgram)}`],
      );
      const unwatch = memory.watch(process.pid, process.isAtWork, (bytes) =>
        process.kill('memory_limit', `${Math.round(bytes / MEGABYTE)} MB`),
      );
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
