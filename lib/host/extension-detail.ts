import * as z from 'zod';
import type {
  Extension,
  ExtensionDetail,
  ExtensionList,
  ExtensionStatus,
  NameChanges,
  Revision,
  StartProgress,
  WatchState,
} from '#lib/contract/extension.ts';
import { ok, type Result } from '#lib/contract/result.ts';
import type { Redactor } from '#lib/calls/redact.ts';
import { readBuildRecord, readDescription } from '#lib/loader/build.ts';
import { relativeFile } from '#lib/loader/failure-occurrence.ts';
import type { RevisionRow, Store } from '#lib/store/store.ts';
import type { ExtensionStates } from '#lib/instances/extension-states.ts';
import type { Instances } from '#lib/instances/instances.ts';
import type { SharedFolder } from '#lib/instances/shared-folder.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import { compareTools } from '#lib/schema/compare-tools.ts';
import { entryBeforeCommit, processOf, type Slot } from '#lib/loader/extension-slot.ts';
import type { LoaderState } from '#lib/loader/loader-state.ts';
import { compareCodePoints, createUnchangedList, type Registry, type SnapshotEntry } from '#lib/registry/snapshot.ts';
import type { RunningExtension } from '#lib/runtime/runtime.ts';
import { conflictsOf, createFileOwnership } from './file-conflicts.ts';
import { unknownExtension } from './extension-actions.ts';
import { printedLines } from './extension-reports.ts';

/** Null: alone on its database. */
interface DetailPeers {
  readonly folder: SharedFolder | null;
  readonly states: ExtensionStates | null;
  readonly instances: Pick<Instances, 'id' | 'list'>;
}

type Views = Pick<ExtensionViews, 'entryFor' | 'present'>;

/** One extension with all data of its page: revisions from the store, status and log from its process. */
export function createExtensionDetail(
  store: Store,
  extensionsDir: string,
  views: Views,
  redactor: Redactor,
  peers: DetailPeers,
): (id: string) => Promise<Result<ExtensionDetail>> {
  const changes = createRevisionChanges(store.revisions);
  return async (id) => {
    const entry = views.entryFor(id);
    if (entry === undefined) return unknownExtension(id);
    const detail = await detailOf(entry, store, changes, extensionsDir, views, redactor);
    const isOwn = createFileOwnership(id, entry.place, extensionsDir, detail.revisions[0]?.files ?? []);
    return ok({ ...detail, ...(await sharedPartOf(entry.extension, isOwn, peers)) });
  };
}

/** The state of the extension on each server of the database. */
async function sharedPartOf(
  { id, state, serving_revision, failure }: Extension,
  isOwn: (file: string) => boolean,
  { folder, states, instances }: DetailPeers,
): Promise<Pick<ExtensionDetail, 'instances' | 'conflicts'>> {
  const [others, listed, conflicts] = await Promise.all([
    states?.ofOthers(id) ?? [],
    instances.list(),
    folder === null ? [] : conflictsOf(folder, isOwn),
  ]);
  const local = new Map(listed.map((one) => [one.id, one.local_files.filter((file) => isOwn(file.path))]));
  const all = [
    { id: instances.id(), state, serving_revision, failure },
    ...others.map((one) => ({ id: one.instance, state: one.state, serving_revision: one.servingRevision, failure: one.failure })),
  ];
  return {
    instances: all.map((one) => ({ ...one, local_files: local.get(one.id) ?? [] })).toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    conflicts,
  };
}

async function detailOf(
  entry: NonNullable<ReturnType<Views['entryFor']>>,
  store: Store,
  changes: RevisionChanges,
  extensionsDir: string,
  views: Views,
  redactor: Redactor,
): Promise<Omit<ExtensionDetail, 'instances' | 'conflicts'>> {
  const status = withoutSecrets((await entry.running?.status()) ?? null, redactor);
  const logs = entry.running?.logs() ?? { lines: printedLines(entry.extension), truncated: false };
  const rows = await store.revisions.list(entry.extension.id);
  const changed = await changes.of(rows);
  const revisions = await Promise.all(rows.map((row, index) => revisionOf(row, changed[index] ?? UNKNOWN, store, extensionsDir)));
  return {
    ...views.present(entry.extension, entry.running),
    revisions,
    has_status: entry.running?.description.hasStatus ?? false,
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

async function revisionOf(row: RevisionRow, changed: Changed, store: Store, extensionsDir: string): Promise<Revision> {
  const record = readBuildRecord(row.build);
  return {
    revision: row.revision,
    content_hash: row.contentHash,
    created_at: row.createdAt,
    outcome: row.outcome,
    trigger: row.trigger,
    actor: row.actor,
    tools: readDescription(row.description)?.tools.map((tool) => tool.name) ?? [],
    files: record?.inputs.map((input) => relativeFile(record.root ?? extensionsDir, input.path)) ?? [],
    packages: record?.packages ?? null,
    ...changed,
    runnable: row.runnable,
    failure: row.failureId === null ? null : await store.failures.get(row.failureId),
  };
}

/**
 * The changes of each revision in a list. The page asks for them on every event of the extension, and sources may be
 * large: the result is cached by the hashes of both sources, so each pair is read once.
 */
interface RevisionChanges {
  /** Takes all revisions of an extension, newest first; returns them in the same order. */
  of(rows: readonly RevisionRow[]): Promise<readonly Pick<Revision, 'files_changed' | 'tools_changed'>[]>;
}

const PAIRS_KEPT = 1_000;

export function createRevisionChanges(revisions: Pick<Store['revisions'], 'get'>): RevisionChanges {
  const known = new Map<string, Omit<NameChanges, 'since'>>();

  async function filesChanged(before: RevisionRow, after: RevisionRow): Promise<Revision['files_changed']> {
    const key = `${before.contentHash} ${after.contentHash}`;
    const kept = known.get(key);
    if (kept !== undefined) return { since: before.revision, ...kept };
    const old = (await revisions.get(before.extension, before.revision))?.sources ?? {};
    const next = (await revisions.get(after.extension, after.revision))?.sources ?? {};
    if (Object.keys(old).length === 0 || Object.keys(next).length === 0) return null;
    const changes = {
      added: Object.keys(next).filter((file) => !Object.hasOwn(old, file)),
      // A failed build has not read all of its inputs.
      removed: after.build === null ? [] : Object.keys(old).filter((file) => !Object.hasOwn(next, file)),
      changed: Object.keys(next).filter((file) => Object.hasOwn(old, file) && old[file] !== next[file]),
    };
    const oldest = known.keys().next().value;
    if (known.size >= PAIRS_KEPT && oldest !== undefined) known.delete(oldest);
    known.set(key, changes);
    return { since: before.revision, ...changes };
  }

  return {
    of: (rows) =>
      Promise.all(
        rows.map(async (row, index) => {
          const built = rows.slice(index + 1, LIMITS.revisionsKept).find(({ build }) => build !== null);
          const described = row.description === null ? undefined : rows.slice(index + 1).find(({ description }) => description !== null);
          return {
            files_changed: built === undefined ? null : await filesChanged(built, row),
            tools_changed: described === undefined ? null : toolsChanged(described, row),
          };
        }),
      ),
  };
}

function toolsChanged(before: RevisionRow, after: RevisionRow): Revision['tools_changed'] {
  const since = before.revision;
  if (before.description === after.description) return { since, added: [], removed: [], changed: [], breaking: false };
  const old = readDescription(before.description);
  const next = readDescription(after.description);
  if (old === null || next === null) return null;
  const changes = compareTools(old.tools, next.tools);
  const named = (kind: (typeof changes)[number]['change']) => changes.filter(({ change }) => change === kind).map(({ tool }) => tool);
  return {
    since,
    added: named('added'),
    removed: named('removed'),
    changed: named('changed'),
    breaking: changes.some(({ breaking }) => breaking),
  };
}

/** Extensions as shown: the state of the last commit, with the events since then. */
export interface ExtensionViews {
  /** With the current state of its process. */
  present(extension: Extension, running: RunningExtension | null): Extension;
  /** Includes one that is being loaded for the first time. */
  entryFor(id: string): SnapshotEntry<RunningExtension> | undefined;
  show(id: string): Result<Extension>;
  /** Includes extensions being loaded for the first time, which are in no snapshot yet. The same list while nothing changes. */
  list(): Extension[];
}

export function createExtensionViews(state: LoaderState, registry: Registry<RunningExtension>): ExtensionViews {
  /** The last view of each extension; the same object until it changes. */
  const last = new WeakMap<Extension, Extension>();
  const unchanged = createUnchangedList<Extension>();

  function present(extension: Extension, running: RunningExtension | null): Extension {
    const { loading } = state.slots.get(extension.id) ?? { loading: null };
    const process = processOf(running);
    const isLoading = loading !== null && extension.state === 'failed' && running === null;
    const before = last.get(extension) ?? extension;
    if (before.state === (isLoading ? 'loading' : extension.state) && before.process === process) return before;
    const shown: Extension = { ...extension, process, ...(isLoading ? { state: 'loading' } : {}) };
    last.set(extension, shown);
    return shown;
  }

  function entryFor(id: string): SnapshotEntry<RunningExtension> | undefined {
    const slot = state.slots.get(id);
    return (
      registry.current().entries.get(id) ?? (slot === undefined || !isTaken(slot) ? undefined : entryBeforeCommit(slot, state.options))
    );
  }

  return {
    present,
    entryFor,
    show(id) {
      const entry = entryFor(id);
      return entry === undefined ? unknownExtension(id) : ok(present(entry.extension, entry.running));
    },
    list() {
      const { entries } = registry.current();
      const known = [...entries.values()].map((entry) => present(entry.extension, entry.running));
      const loading = [...state.slots.values()]
        .filter((slot) => !entries.has(slot.id) && isTaken(slot))
        .map((slot) => entryBeforeCommit(slot, state.options).extension);
      return unchanged(loading.length === 0 ? known : [...known, ...loading].sort((a, b) => compareCodePoints(a.id, b.id)));
    },
  };
}

/** The list of the API; the same object while nothing changes. */
export function createExtensionList(
  version: () => number,
  watch: () => WatchState,
  progress: () => StartProgress | null,
  views: Pick<ExtensionViews, 'list'>,
): () => ExtensionList {
  let before: ExtensionList | null = null;
  return () => {
    const next: ExtensionList = { version: version(), watch: watch(), loading: progress(), extensions: views.list() };
    const isSame = before !== null && next.version === before.version && next.watch === before.watch && next.loading === before.loading;
    if (before === null || !isSame || next.extensions !== before.extensions) before = next;
    return before;
  };
}

/** Slots that a scan for other extensions created are neither loaded nor loading. */
function isTaken(slot: Slot): boolean {
  return slot.generation > 0 || slot.isExcluded || slot.isLeftOut || slot.disabled;
}
