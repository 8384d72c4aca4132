import type { ExtensionDependencies } from '#lib/contract/dependencies.ts';
import type { Result } from '#lib/contract/result.ts';
import { ok, refuse } from '#lib/contract/result.ts';
import type { Dependencies } from '#lib/dependencies/dependencies.ts';
import type { Candidate } from '#lib/loader/build.ts';
import type { LoaderState } from '#lib/loader/loader-state.ts';
import type { Actor } from './actor.ts';
import { unknownExtension } from './extension-actions.ts';

/** The declared dependencies of an extension, and their install. */
export interface ExtensionDependencyActions {
  dependencies(id: string): Promise<Result<ExtensionDependencies>>;
  /** Begins an install, or joins the one that runs; its end loads the extension again. */
  install(id: string, how: { readonly update: boolean }, actor: Actor): Promise<Result<ExtensionDependencies>>;
  cancelInstall(id: string): Promise<Result<ExtensionDependencies>>;
}

export function createExtensionDependencies(slots: LoaderState['slots'], dependencies: Dependencies): ExtensionDependencyActions {
  function find(id: string): Result<Candidate> {
    const slot = slots.get(id);
    if (slot === undefined) return unknownExtension(id);
    if (slot.candidate === null) return refuse('state_conflict', `${id} has no entry file that could be loaded.`);
    return ok(slot.candidate);
  }

  async function act(id: string, work: (candidate: Candidate) => Promise<Result<null>>): Promise<Result<ExtensionDependencies>> {
    const candidate = find(id);
    if (!candidate.ok) return candidate;
    const done = await work(candidate.value);
    return done.ok ? ok(await dependencies.view(candidate.value)) : done;
  }

  return {
    dependencies: (id) => act(id, async () => ok(null)),
    install: (id, how, actor) => act(id, (candidate) => dependencies.install(candidate, actor.name, how)),
    cancelInstall: (id) => act(id, dependencies.cancel),
  };
}
