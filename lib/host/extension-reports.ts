import type { Extension } from '#lib/contract/extension.ts';
import type { ExtensionLogPage, ExtensionLogQuery, ExtensionResources, ExtensionSettings } from '#lib/contract/extension-reports.ts';
import type { Result } from '#lib/contract/result.ts';
import { ok } from '#lib/contract/result.ts';
import type { HostConfig } from './config.ts';
import { unknownExtension } from './extension-actions.ts';
import { createExtensionLogPages } from './extension-log-pages.ts';
import { createExtensionSettingsReport } from './extension-settings.ts';
import type { ExtensionViews } from './extension-views.ts';
import { createResourceSamples } from './resource-samples.ts';
import type { Sampled } from './resource-samples.ts';

/** Additional data for the page of one extension, each for one part of it. */
export interface ExtensionReports {
  /** Lines after the cursor `after`. */
  logs(id: string, query: ExtensionLogQuery): Result<ExtensionLogPage>;
  resources(id: string): Result<ExtensionResources>;
  settings(id: string): Promise<Result<ExtensionSettings>>;
}

export interface ExtensionReportsOptions {
  readonly config: HostConfig;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The environment variables that every extension sees. */
  readonly common: Readonly<Record<string, string>>;
  readonly views: ExtensionViews;
}

const MIB = 1_048_576;

export function createExtensionReports({ config, environment, common, views }: ExtensionReportsOptions): {
  readonly host: ExtensionReports;
  close(): void;
} {
  const logs = createExtensionLogPages();
  const settings = createExtensionSettingsReport({ config, environment, common });
  const samples = createResourceSamples({
    list: () => views.list().map(sampledOf),
    get(id) {
      const shown = views.show(id);
      return shown.ok ? sampledOf(shown.value) : undefined;
    },
  });

  return {
    host: {
      logs(id, { after }) {
        const entry = views.entryFor(id);
        return entry === undefined ? unknownExtension(id) : ok(logs.read(entry.extension, entry.running, after ?? null));
      },
      resources(id) {
        if (views.entryFor(id) === undefined) return unknownExtension(id);
        return ok({ ...samples.read(id), memory_limit_bytes: config.extensionMemoryMb * MIB });
      },
      async settings(id) {
        const entry = views.entryFor(id);
        if (entry === undefined) return unknownExtension(id);
        const shown = views.present(entry.extension, entry.running);
        return ok(await settings.of(shown, entry.place, entry.running?.description.tools ?? []));
      },
    },
    close: () => samples.close(),
  };
}

function sampledOf({ id, serving_revision: revision, process: { pid } }: Extension): Sampled {
  return { id, revision, pid };
}
