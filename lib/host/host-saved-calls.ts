import { dirname } from 'node:path';
import type { CallService } from '#lib/calls/call-service.ts';
import type { IdempotentCalls } from '#lib/calls/idempotent-calls.ts';
import type { RequiredChecks } from '#lib/calls/required-checks.ts';
import { createRequiredChecks } from '#lib/calls/required-checks.ts';
import type { Redactor } from '#lib/calls/redact.ts';
import { createSavedCalls } from '#lib/calls/saved-calls.ts';
import type { EventData, EventType } from '#lib/contract/events.ts';
import { ok } from '#lib/contract/result.ts';
import type { SnapshotCause } from '#lib/contract/snapshot.ts';
import type { Registry } from '#lib/registry/snapshot.ts';
import type { ExtensionLoader } from '#lib/loader/extension-loader.ts';
import { ownedTools } from '#lib/loader/extension-slot.ts';
import type { RunningExtension } from '#lib/runtime/runtime.ts';
import type { SchemaGuard } from '#lib/runtime/schema-guard.ts';
import { createSchemaGuard } from '#lib/runtime/schema-guard.ts';
import { checkSchema } from '#lib/schema/check-schema.ts';
import type { Store } from '#lib/store/store.ts';
import type { Instances } from '#lib/instances/instances.ts';
import type { CheckResult } from '#lib/calls/check-expectation.ts';
import { createMemoryWatch } from '#lib/runtime/memory-watch.ts';
import { startNodeProcess } from '#lib/runtime/node-process.ts';
import { findParentDeathPrefix } from '#lib/runtime/parent-death.ts';
import type { HostSavedCalls } from './host.ts';
import type { Logger } from './logger.ts';
import { currentTool } from './host-calls.ts';
import type { HostConfig } from './config.ts';

export interface HostSavedCallsOptions {
  readonly guard: SchemaGuard;
  readonly required: RequiredChecks;
  readonly loader: ExtensionLoader;
  readonly logger: Logger;
  readonly calls: CallService;
  readonly redactor: Redactor;
  readonly idempotent: IdempotentCalls;
  readonly store: Store;
  readonly registry: Registry<RunningExtension>;
  readonly instances: Pick<Instances, 'notify' | 'onNotice'>;
  publish(type: EventType, data: EventData): void;
}

/**
 * Saved calls for pages and routes. Changing a required check does not affect running calls; it retries extensions that
 * failed because of their checks, because nothing else would retry them.
 */
export function createHostSavedCalls(options: HostSavedCallsOptions): HostSavedCalls {
  const { guard, registry, publish } = options;
  const { state } = options.loader;

  /** A running load may use the former check, so its end is waited for. */
  async function retryExtensions(actor: string | null): Promise<void> {
    const cause: SnapshotCause = { kind: 'reload', actor, files: [] };
    const underWay = [...state.slots.values()].flatMap(({ loading }) => (loading === null ? [] : [loading.done]));
    await Promise.all(underWay);
    if (underWay.length > 0) await options.loader.change(null, cause, async () => ok(null));
    const held = [...state.slots.values()].filter(({ newest }) => newest?.failure?.code === 'check_failed');
    if (held.length === 0) return;
    await options.loader.reload(
      held.map(({ id }) => id),
      cause,
    );
  }

  const saved = createSavedCalls({
    calls: options.calls,
    redactor: options.redactor,
    idempotent: options.idempotent,
    saved: options.store.savedCalls,
    toolOf: (name) => {
      const found = registry.current().tools.get(name);
      return found === undefined ? null : currentTool(found);
    },
    inspectSchema: async (schema) => {
      const known = checkSchema(schema);
      if (known !== null) return known.path.length === 0 ? known.message : `at /${known.path.join('/')} ${known.message}`;
      const fault = await guard.inspect(JSON.stringify(schema));
      return fault === null ? null : fault.path === '' ? `${fault.message}.` : `at ${fault.path} ${fault.message}.`;
    },
    checkResult: checkResultIn(guard),
    required: options.required,
    toolsOf: (id) => {
      const slot = state.slots.get(id);
      return slot === undefined ? [] : ownedTools(slot, state.options.excludedTools).map(({ name }) => name);
    },
    requirementChanged: (tool, actor) => {
      options.instances.notify('checks', tool);
      retryExtensions(actor).catch((error: unknown) =>
        options.logger.warn('could not retry an extension after a change of its checks', { tool, error }),
      );
    },
    // Events name the data to reload, from a fixed list.
    notify: (tool, run) =>
      run === null
        ? publish('snapshot.changed', { snapshot_version: registry.current().version, tool })
        : publish('call.progress', {
            snapshot_version: registry.current().version,
            call_id: run.call_id,
            tool,
            status: run.status,
          }),
  });
  /** Changed by another server. */
  async function reread(tool: string): Promise<void> {
    const known = [...registry.current().tools.keys()].filter((name) => options.required.count([name]) > 0);
    const tools = tool === '' ? new Set([...known, ...(await options.store.savedCalls.required()).map((check) => check.tool)]) : [tool];
    const before = [...tools].map((name) => options.required.count([name]));
    for (const name of tools) await options.required.reread(name);
    const after = [...tools].map((name) => options.required.count([name]));
    if (before.some((count, at) => count !== after[at])) await retryExtensions(null);
  }
  options.instances.onNotice('checks', (tool) => {
    reread(tool).catch((error: unknown) => options.logger.warn('required checks that changed could not be read', { tool, error }));
  });

  return {
    ...saved,
    save: (request, actor) => saved.save(request, actor.name),
    change: (id, change, actor) => saved.change(id, change, actor.name),
    remove: (id, actor) => saved.remove(id, actor.name),
    start: (id, args, source, actor, key) => saved.start(id, args, source, actor.name, key),
  };
}

interface HostRequiredChecks {
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
  const guard = createStandaloneGuard({
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

function checkResultIn(guard: SchemaGuard): CheckResult {
  return async (schema, text) => {
    const checked = await guard.check(JSON.stringify(schema), 'result', text);
    return checked.ok ? null : checked.error;
  };
}

const MEGABYTE = 1_048_576;

interface StandaloneGuardOptions {
  readonly memoryMb: number;
  readonly maxResultBytes: number;
  readonly workspaceRoot: string;
  /** Folder for its program. */
  readonly cacheDir: string;
}

/** A guard process of no runtime, for user-written schemas. It starts at the first check and ends with `close`. */
function createStandaloneGuard({ memoryMb, maxResultBytes, workspaceRoot, cacheDir }: StandaloneGuardOptions): SchemaGuard {
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
