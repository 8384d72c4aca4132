import path from 'node:path';
import type { ConflictChoice, Extension, ExtensionConflict, FileConflictList } from '#lib/contract/extension.ts';
import { ok, refuse, type Result } from '#lib/contract/result.ts';
import type { SharedFolder } from '#lib/instances/shared-folder.ts';
import type { Slot } from '#lib/loader/extension-slot.ts';
import { relativeFile } from '#lib/loader/failure-occurrence.ts';
import type { ExtensionPlace } from '#lib/registry/snapshot.ts';
import type { FileConflict } from '#lib/store/shared-files.ts';
import type { Actor } from './host.ts';

type IsOwn = (file: string) => boolean;

/**
 * Whether a path belongs to an extension: the files that it was built from, and all files in its folder. In a folder of
 * several extensions: its own file, and possible helpers.
 */
export function createFileOwnership(id: string, place: ExtensionPlace, extensionsDir: string, built: readonly string[]): IsOwn {
  const folder = relativeFile(extensionsDir, place.folder);
  const entryFile = place.entryFile === null ? null : relativeFile(extensionsDir, place.entryFile);
  const isOneOfSeveral = path.posix.dirname(id) === folder;
  return (file) => {
    if (file === entryFile || file === folder || built.includes(file)) return true;
    if (!file.startsWith(`${folder}/`)) return false;
    const rest = file.slice(folder.length + 1);
    return !isOneOfSeveral || rest.startsWith('_') || rest.includes('/');
  };
}

/** Files of the newest source of an extension. */
export function ownershipOf(slot: Slot, extensionsDir: string): IsOwn {
  const built = slot.newest?.inputs.map((input) => relativeFile(extensionsDir, input.path)) ?? [];
  return createFileOwnership(slot.id, slot, extensionsDir, built);
}

/** Conflicts of the files that `isOwn` accepts. */
export async function conflictsOf(shared: SharedFolder, isOwn: IsOwn): Promise<ExtensionConflict[]> {
  const own = (await shared.conflicts()).filter(({ path: file }) => isOwn(file));
  return await Promise.all(own.map((conflict) => withTexts(shared, conflict)));
}

async function withTexts(shared: SharedFolder, conflict: FileConflict): Promise<ExtensionConflict> {
  return {
    ...savesOf(conflict),
    serving: await shared.contentOf(conflict.serving.hash),
    other: await shared.contentOf(conflict.other.hash),
  };
}

function savesOf({ id, path: file, serving, other }: FileConflict): Omit<ExtensionConflict, 'serving' | 'other'> {
  return {
    id,
    path: file,
    instance: other.instance,
    actor: other.actor,
    saved_at: other.savedAt,
    serving_instance: serving.instance,
    serving_actor: serving.actor,
    serving_saved_at: serving.savedAt,
  };
}

/** Files that two instances saved with the same base, whether or not an extension uses them. */
export interface HostConflicts {
  list(): Promise<FileConflictList>;
  get(conflict: string): Promise<Result<ExtensionConflict>>;
  /** Keeps one of the two texts. Returns the remaining conflicts. */
  settle(conflict: string, choice: ConflictChoice, actor: Actor): Promise<Result<FileConflictList>>;
}

/** @param shared null: nothing is shared, so nothing is in conflict */
export function createHostConflicts(shared: SharedFolder | null, slots: ReadonlyMap<string, Slot>, extensionsDir: string): HostConflicts {
  async function list(): Promise<FileConflictList> {
    const open = (await shared?.conflicts()) ?? [];
    const owners = open.length === 0 ? [] : [...slots.values()].map((slot) => ({ id: slot.id, isOwn: ownershipOf(slot, extensionsDir) }));
    return {
      conflicts: open.map((conflict) => ({
        ...savesOf(conflict),
        extensions: owners.filter(({ isOwn }) => isOwn(conflict.path)).map(({ id }) => id),
      })),
    };
  }

  return {
    list,
    async get(id) {
      const conflict = (await shared?.conflicts())?.find((one) => one.id === id);
      return shared === null || conflict === undefined ? noConflict(id) : ok(await withTexts(shared, conflict));
    },
    async settle(id, { keep }, actor) {
      if (shared === null || !(await shared.settle(id, keep, actor.name))) return noConflict(id);
      await shared.settled();
      return ok(await list());
    },
  };
}

/** Settles a conflict of one extension, and returns the extension immediately, while `other` may still load. */
export function createConflictSettling(
  conflicts: HostConflicts,
  show: (id: string) => Result<Extension>,
): (id: string, conflict: string, choice: ConflictChoice, actor: Actor) => Promise<Result<Extension>> {
  return async (id, conflict, choice, actor) => {
    const shown = show(id);
    if (!shown.ok) return shown;
    const settled = await conflicts.settle(conflict, choice, actor);
    return settled.ok ? show(id) : settled;
  };
}

function noConflict(id: string): Result<never> {
  return refuse('conflict_not_found', `Conflict “${id.slice(0, 80)}” not found; somebody may have resolved it. Read the list again.`);
}
