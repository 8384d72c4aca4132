import path from 'node:path';
import type { ExtensionDependencies } from '#lib/contract/dependencies.ts';
import type { Result } from '#lib/contract/result.ts';
import { ok, refuse } from '#lib/contract/result.ts';
import type { Dependencies } from '#lib/dependencies/dependencies.ts';
import { undeclaredPackage } from '#lib/dependencies/missing-packages.ts';
import type { Candidate } from '#lib/loader/build.ts';
import type { Slot } from '#lib/loader/extension-slot.ts';
import type { LoaderState } from '#lib/loader/loader-state.ts';
import type { Actor } from './actor.ts';
import { unknownExtension } from './extension-actions.ts';
import type { SourceFiles } from './source-files.ts';

/** The declared dependencies of an extension, and their install. */
export interface ExtensionDependencyActions {
  dependencies(id: string): Promise<Result<ExtensionDependencies>>;
  /** Begins an install, or joins the one that runs; its end loads the extension again. */
  install(id: string, how: { readonly update: boolean }, actor: Actor): Promise<Result<ExtensionDependencies>>;
  cancelInstall(id: string): Promise<Result<ExtensionDependencies>>;
  /** Adds the package that an import did not find to the declaration; resolves when the result is loaded or has failed. */
  declarePackage(id: string, name: string, actor: Actor): Promise<Result<ExtensionDependencies>>;
  /** Settles when no install runs and what needed them is loaded. */
  installsSettled(): Promise<void>;
}

export function createExtensionDependencies(
  { extensionsDir, slots }: { readonly extensionsDir: string; readonly slots: LoaderState['slots'] },
  dependencies: Dependencies,
  sources: Pick<SourceFiles, 'read' | 'write'>,
): ExtensionDependencyActions {
  function find(id: string): Result<{ readonly slot: Slot; readonly candidate: Candidate }> {
    const slot = slots.get(id);
    if (slot === undefined) return unknownExtension(id);
    const { candidate } = slot;
    if (candidate === null) return refuse('state_conflict', `${id} has no entry file that could be loaded.`);
    return ok({ slot, candidate });
  }

  const nameOf = (file: string): string => path.relative(extensionsDir, file).replaceAll(path.sep, '/');

  async function view(candidate: Candidate, slot: Slot): Promise<ExtensionDependencies> {
    const found = await dependencies.view(candidate);
    const failure = slot.newest?.failure ?? null;
    const name = failure === null ? null : undeclaredPackage(failure);
    const edit = name === null ? null : await dependencies.declaring(candidate, name);
    return { ...found, undeclared: name === null || edit === null ? null : { package: name, file: nameOf(edit.file), line: edit.line } };
  }

  async function act(id: string, work: (candidate: Candidate) => Promise<Result<unknown>>): Promise<Result<ExtensionDependencies>> {
    const found = find(id);
    if (!found.ok) return found;
    const done = await work(found.value.candidate);
    return done.ok ? ok(await view(found.value.candidate, found.value.slot)) : done;
  }

  return {
    dependencies: (id) => act(id, async () => ok(null)),
    install: (id, how, actor) => act(id, (candidate) => dependencies.install(candidate, actor.name, how)),
    cancelInstall: (id) => act(id, dependencies.cancel),
    async declarePackage(id, name, actor) {
      const found = find(id);
      if (!found.ok) return found;
      const { candidate, slot } = found.value;
      // Only what the failure names: any other text does not reach a file.
      const missing = slot.newest?.failure == null ? null : undeclaredPackage(slot.newest.failure);
      if (missing !== name) return refuse('state_conflict', `${id} does not import an undeclared package “${name.slice(0, 80)}”.`);
      const edit = await dependencies.declaring(candidate, name);
      if (edit === null) return refuse('state_conflict', `The declaration of ${id} cannot be edited automatically. Add ${name} yourself.`);
      const file = nameOf(edit.file);
      const current = edit.before === null ? null : await sources.read(file);
      if (current !== null && !current.ok) return current;
      return act(id, () => sources.write(file, { text: edit.after, expected_hash: current?.value.hash ?? null }, actor));
    },
    installsSettled: () => dependencies.settled(),
  };
}
