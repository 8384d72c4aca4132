import path from 'node:path';
import type { ConflictChoice, Extension, ExtensionConflict } from '#lib/contract/extension.ts';
import { refuse } from '#lib/contract/result.ts';
import type { Result } from '#lib/contract/result.ts';
import type { SharedFolder } from '#lib/instances/shared-folder.ts';
import type { Actor } from './actor.ts';

/**
 * Whether a path belongs to an extension: the files that it was built from, and all in its folder. Of a folder of several
 * extensions: its own file, and what may be a helper.
 */
export function createFileOwnership(
  { id, path: main }: Pick<Extension, 'id' | 'path'>,
  folder: string,
  built: readonly string[],
): (file: string) => boolean {
  const isOneOfSeveral = path.posix.dirname(id) === folder;
  return (file) => {
    if (file === main || file === folder || built.includes(file)) return true;
    if (!file.startsWith(`${folder}/`)) return false;
    const rest = file.slice(folder.length + 1);
    return !isOneOfSeveral || rest.startsWith('_') || rest.includes('/');
  };
}

/** Conflicts of the files that `isOwn` accepts. */
export async function conflictsOf(shared: SharedFolder, isOwn: (file: string) => boolean): Promise<ExtensionConflict[]> {
  const own = (await shared.conflicts()).filter(({ path: file }) => isOwn(file));
  return await Promise.all(
    own.map(async ({ id, path: file, serving, other }) => ({
      id,
      path: file,
      instance: other.instance,
      actor: other.actor,
      saved_at: other.savedAt,
      serving_instance: serving.instance,
      serving_actor: serving.actor,
      serving_saved_at: serving.savedAt,
      serving: await shared.contentOf(serving.hash),
      other: await shared.contentOf(other.hash),
    })),
  );
}

/** A person chooses; the extension is shown as it is then, while `other` still loads. */
export function createConflictSettling(
  shared: SharedFolder | null,
  show: (id: string) => Result<Extension>,
): (id: string, conflict: string, choice: ConflictChoice, actor: Actor) => Promise<Result<Extension>> {
  return async (id, conflict, { keep }, actor) => {
    const shown = show(id);
    if (!shown.ok) return shown;
    if (shared === null || !(await shared.settle(conflict, keep, actor.name)))
      return refuse(
        'conflict_not_found',
        `${id} has no open conflict “${conflict.slice(0, 80)}”; somebody may have settled it. Read the extension again.`,
      );
    await shared.settled();
    return show(id);
  };
}
