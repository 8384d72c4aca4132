import type { CallService } from '#lib/calls/call-service.ts';
import { createSavedCalls } from '#lib/calls/saved-calls.ts';
import type { EventData, EventType } from '#lib/contract/events.ts';
import type { Registry } from '#lib/registry/registry.ts';
import { createLoneGuard } from '#lib/runtime/lone-guard.ts';
import type { RunningExtension } from '#lib/runtime/runtime.ts';
import { checkSchema } from '#lib/schema/check-schema.ts';
import type { Store } from '#lib/store/store.ts';
import type { HostConfig } from './config.ts';
import type { HostSavedCalls } from './host.ts';
import { presentTool } from './present-tool.ts';

export interface HostSavedCallsOptions {
  readonly config: HostConfig;
  readonly cacheDir: string;
  readonly calls: CallService;
  readonly store: Store;
  readonly registry: Registry<RunningExtension>;
  publish(type: EventType, data: EventData): void;
}

/** Saved calls as pages and routes ask for them; the schemas that people write for results are compiled in a process of their own. */
export function createHostSavedCalls(options: HostSavedCallsOptions): { readonly host: HostSavedCalls; close(): Promise<void> } {
  const { config, registry, publish } = options;
  const guard = createLoneGuard({
    memoryMb: config.extensionMemoryMb,
    maxResultBytes: config.maxResultBytes,
    workspaceRoot: config.workspaceRoot,
    cacheDir: options.cacheDir,
  });
  const saved = createSavedCalls({
    calls: options.calls,
    saved: options.store.savedCalls,
    toolOf: (name) => {
      const found = registry.current().tools.get(name);
      return found === undefined ? null : presentTool(found);
    },
    inspectSchema: async (schema) => {
      const known = checkSchema(schema);
      if (known !== null) return known.path.length === 0 ? known.message : `at /${known.path.join('/')} ${known.message}`;
      const fault = await guard.inspect(JSON.stringify(schema));
      return fault === null ? null : fault.path === '' ? `${fault.message}.` : `at ${fault.path} ${fault.message}.`;
    },
    checkResult: async (schema, text) => {
      const checked = await guard.check(JSON.stringify(schema), 'result', text);
      return checked.ok ? null : checked.error;
    },
    // Events announce what is to be read again; the list of them is closed, so these say where to look.
    tell: (tool, run) =>
      run === null
        ? publish('snapshot.changed', { snapshot_version: registry.current().version, tool })
        : publish('call.progress', {
            snapshot_version: registry.current().version,
            call_id: run.call_id,
            tool,
            status: run.status,
          }),
  });
  return {
    host: {
      ...saved,
      save: (request, actor) => saved.save(request, actor.name),
      run: (id, args, source, actor) => saved.run(id, args, source, actor.name),
    },
    close: () => guard.close(),
  };
}
