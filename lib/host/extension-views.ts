import type { Extension } from '#lib/contract/extension.ts';
import type { Result } from '#lib/contract/result.ts';
import { ok } from '#lib/contract/result.ts';
import { entryBeforeCommit, processOf } from '#lib/loader/extension-slot.ts';
import type { Slot } from '#lib/loader/extension-slot.ts';
import type { LoaderState } from '#lib/loader/loader-state.ts';
import type { Registry } from '#lib/registry/registry.ts';
import type { SnapshotEntry } from '#lib/registry/snapshot.ts';
import { compareCodePoints } from '#lib/registry/snapshot.ts';
import type { RunningExtension } from '#lib/runtime/runtime.ts';
import { unknownExtension } from './extension-actions.ts';

/** Extensions as shown: the state of the last commit, with the events since then. */
export interface ExtensionViews {
  /** With the current state of its process. */
  present(extension: Extension, running: RunningExtension | null): Extension;
  /** Includes one that is being loaded for the first time. */
  entryFor(id: string): SnapshotEntry<RunningExtension> | undefined;
  show(id: string): Result<Extension>;
  /** Includes those being loaded for the first time, which are in no snapshot yet. */
  list(): Extension[];
}

export function createExtensionViews(state: LoaderState, registry: Registry<RunningExtension>): ExtensionViews {
  function present(extension: Extension, running: RunningExtension | null): Extension {
    const { loading } = state.slots.get(extension.id) ?? { loading: null };
    const shown = { ...extension, process: processOf(running) };
    return loading !== null && extension.state === 'failed' && running === null ? { ...shown, state: 'loading' } : shown;
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
      return [...known, ...loading].sort((a, b) => compareCodePoints(a.id, b.id));
    },
  };
}

/** Slots that a scan for other extensions created are neither loaded nor loading. */
function isTaken(slot: Slot): boolean {
  return slot.generation > 0 || slot.isExcluded || slot.isLeftOut || slot.disabled;
}
