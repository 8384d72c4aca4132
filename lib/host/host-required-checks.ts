import type { CheckResult } from '#lib/calls/judge-call.ts';
import type { Redactor } from '#lib/calls/redact.ts';
import { createRequiredChecks } from '#lib/calls/required-checks.ts';
import type { RequiredChecks } from '#lib/calls/required-checks.ts';
import { createLoneGuard } from '#lib/runtime/lone-guard.ts';
import type { SchemaGuard } from '#lib/runtime/schema-guard.ts';
import type { Store } from '#lib/store/store.ts';
import type { HostConfig } from './config.ts';

export interface HostRequiredChecks {
  /** What new revisions must pass. */
  readonly required: RequiredChecks;
  /** Schemas that people write for results are compiled in a process of its own. */
  readonly guard: SchemaGuard;
  close(): Promise<void>;
}

/** Made before the loader, which asks it, and closed after. */
export function createHostRequiredChecks(config: HostConfig, cacheDir: string, store: Store, redactor: Redactor): HostRequiredChecks {
  const guard = createLoneGuard({
    memoryMb: config.extensionMemoryMb,
    maxResultBytes: config.maxResultBytes,
    workspaceRoot: config.workspaceRoot,
    cacheDir,
  });
  const required = createRequiredChecks({
    saved: store.savedCalls,
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
