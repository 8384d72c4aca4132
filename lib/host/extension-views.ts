import type { Extension, ExtensionList, StartProgress, WatchState } from '#lib/contract/extension.ts';
import type { Result } from '#lib/contract/result.ts';
import { ok } from '#lib/contract/result.ts';
import { entryBeforeCommit, processOf } from '#lib/loader/extension-slot.ts';
import type { Slot } from '#lib/loader/extension-slot.ts';
import type { LoaderState } from '#lib/loader/loader-state.ts';
import { createUnchangedList, compareCodePoints } from '#lib/registry/snapshot.ts';
import type { SnapshotEntry, Registry } from '#lib/registry/snapshot.ts';
import type { RunningExtension } from '#lib/runtime/runtime.ts';
import { unknownExtension } from './extension-actions.ts';

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
