import type { Extension, ExtensionDetail, Revision } from '#lib/contract/extension.ts';
import type { Result } from '#lib/contract/result.ts';
import { ok } from '#lib/contract/result.ts';
import { readBuildRecord, readDescription } from '#lib/loader/build-record.ts';
import { relativeFile } from '#lib/loader/failure-occurrence.ts';
import type { RunningExtension } from '#lib/runtime/runtime.ts';
import type { RevisionRow, Store } from '#lib/store/store.ts';
import { unknownExtension } from './extension-actions.ts';
import { printedLines } from './extension-log-pages.ts';

/** One extension with all that its page shows: revisions from the store, status and log from its process. */
export async function detailOf(
  id: string,
  entry: { readonly extension: Extension; readonly running: RunningExtension | null } | undefined,
  store: Store,
  extensionsDir: string,
  present: (extension: Extension, running: RunningExtension | null) => Extension,
): Promise<Result<ExtensionDetail>> {
  if (entry === undefined) return unknownExtension(id);
  const status = (await entry.running?.status()) ?? null;
  const logs = entry.running?.logs() ?? { lines: printedLines(entry.extension), truncated: false };
  const revisions = store.revisions.list(id).map((row) => revisionOf(row, store, extensionsDir));
  return ok({
    ...present(entry.extension, entry.running),
    revisions,
    status: status?.value ?? null,
    status_error: status?.error ?? null,
    status_duration_ms: status?.duration_ms ?? null,
    logs: [...logs.lines],
    logs_truncated: logs.truncated,
  });
}

function revisionOf(row: RevisionRow, store: Store, extensionsDir: string): Revision {
  return {
    revision: row.revision,
    content_hash: row.contentHash,
    created_at: row.createdAt,
    outcome: row.outcome,
    trigger: row.trigger,
    tools: readDescription(row.description)?.tools.map((tool) => tool.name) ?? [],
    files: readBuildRecord(row.build)?.inputs.map((input) => relativeFile(extensionsDir, input.path)) ?? [],
    runnable: row.runnable,
    failure: row.failureId === null ? null : store.failures.get(row.failureId),
  };
}
