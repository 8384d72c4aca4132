import type { ConflictChoice, Extension, ExtensionConflict } from '#lib/contract/extension.ts';
import { refuse } from '#lib/contract/result.ts';
import type { Result } from '#lib/contract/result.ts';
import type { SharedFolder } from '#lib/instances/shared-folder.ts';

/**
 * Conflicts of files of one extension.
 * @param folder relative; empty for a file directly in the extensions folder
 */
export async function conflictsOf(shared: SharedFolder, folder: string, mainFile: string): Promise<ExtensionConflict[]> {
  const own = (await shared.conflicts()).filter(
    ({ path }) => path === mainFile || (folder !== '' && folder !== '.' && path.startsWith(`${folder}/`)),
  );
  return await Promise.all(
    own.map(async ({ id, path, instance, savedAt, servingHash, otherHash }) => ({
      id,
      path,
      instance,
      saved_at: savedAt,
      serving: await shared.contentOf(servingHash),
      other: await shared.contentOf(otherHash),
    })),
  );
}

/** A person chooses; the extension is shown as it is then, while `other` still loads. */
export function createConflictSettling(
  shared: SharedFolder | null,
  show: (id: string) => Result<Extension>,
): (id: string, conflict: string, choice: ConflictChoice) => Promise<Result<Extension>> {
  return async (id, conflict, { keep }) => {
    const shown = show(id);
    if (!shown.ok) return shown;
    if (shared === null || !(await shared.settle(conflict, keep)))
      return refuse(
        'conflict_not_found',
        `${id} has no open conflict “${conflict.slice(0, 80)}”; somebody may have settled it. Read the extension again.`,
      );
    await shared.settled();
    return show(id);
  };
}
