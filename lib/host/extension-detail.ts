import { z } from 'zod';
import type { ExtensionDetail, ExtensionStatus, Revision } from '#lib/contract/extension.ts';
import type { Result } from '#lib/contract/result.ts';
import { ok } from '#lib/contract/result.ts';
import type { Redactor } from '#lib/calls/redact.ts';
import { readBuildRecord, readDescription } from '#lib/loader/build-record.ts';
import { relativeFile } from '#lib/loader/failure-occurrence.ts';
import type { RevisionRow, Store } from '#lib/store/store.ts';
import { unknownExtension } from './extension-actions.ts';
import { printedLines } from './extension-log-pages.ts';
import type { ExtensionViews } from './extension-views.ts';
import { createRevisionChanges } from './revision-changes.ts';
import type { RevisionChanges } from './revision-changes.ts';

type Views = Pick<ExtensionViews, 'entryFor' | 'present'>;

/** One extension with all that its page shows: revisions from the store, status and log from its process. */
export function createExtensionDetail(
  store: Store,
  extensionsDir: string,
  views: Views,
  redactor: Redactor,
): (id: string) => Promise<Result<ExtensionDetail>> {
  const changes = createRevisionChanges(store.revisions);
  return async (id) => {
    const entry = views.entryFor(id);
    return entry === undefined ? unknownExtension(id) : ok(await detailOf(entry, store, changes, extensionsDir, views, redactor));
  };
}

async function detailOf(
  entry: NonNullable<ReturnType<Views['entryFor']>>,
  store: Store,
  changes: RevisionChanges,
  extensionsDir: string,
  views: Views,
  redactor: Redactor,
): Promise<ExtensionDetail> {
  const status = withoutSecrets((await entry.running?.status()) ?? null, redactor);
  const logs = entry.running?.logs() ?? { lines: printedLines(entry.extension), truncated: false };
  const rows = store.revisions.list(entry.extension.id);
  const changed = changes.of(rows);
  const revisions = rows.map((row, index) => revisionOf(row, changed[index] ?? UNKNOWN, store, extensionsDir));
  return {
    ...views.present(entry.extension, entry.running),
    revisions,
    status: status?.value ?? null,
    status_error: status?.error ?? null,
    status_duration_ms: status?.duration_ms ?? null,
    logs: [...logs.lines],
    logs_truncated: logs.truncated,
  };
}

function withoutSecrets(status: ExtensionStatus | null, redactor: Redactor): ExtensionStatus | null {
  if (status === null) return null;
  const { value, error } = status;
  return {
    ...status,
    value: value === null ? null : statusSchema.parse(redactor.value(value, [])),
    error: error === null ? null : redactor.text(error, []),
  };
}

const statusSchema = z.record(z.string(), z.unknown());
const UNKNOWN = { files_changed: null, tools_changed: null };
type Changed = Pick<Revision, keyof typeof UNKNOWN>;

function revisionOf(row: RevisionRow, changed: Changed, store: Store, extensionsDir: string): Revision {
  return {
    revision: row.revision,
    content_hash: row.contentHash,
    created_at: row.createdAt,
    outcome: row.outcome,
    trigger: row.trigger,
    actor: row.actor,
    tools: readDescription(row.description)?.tools.map((tool) => tool.name) ?? [],
    files: readBuildRecord(row.build)?.inputs.map((input) => relativeFile(extensionsDir, input.path)) ?? [],
    ...changed,
    runnable: row.runnable,
    failure: row.failureId === null ? null : store.failures.get(row.failureId),
  };
}
