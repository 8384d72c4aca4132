import path from 'node:path';
import * as z from 'zod';
import type { ExtensionDependencies, InstallPreview } from '#lib/contract/dependencies.ts';
import { ok, refuse, type Result } from '#lib/contract/result.ts';
import type { Dependencies } from '#lib/dependencies/dependencies.ts';
import { undeclaredPackage } from '#lib/dependencies/missing-packages.ts';
import type { Instances } from '#lib/instances/instances.ts';
import type { Candidate } from '#lib/loader/build.ts';
import type { Slot } from '#lib/loader/extension-slot.ts';
import type { LoaderState } from '#lib/loader/loader-state.ts';
import type { Actor } from './host.ts';
import { unknownExtension } from './extension-actions.ts';
import type { SourceFiles } from './source-files.ts';

/**
 * The declared dependencies of an extension, and their install. Each server has its own packages, so an install that a
 * person requests on one server runs on all. An unreachable server continues without it, and the page of the extension shows that.
 */
export interface ExtensionDependencyActions {
  dependencies(id: string): Promise<Result<ExtensionDependencies>>;
  /** Begins an install, or joins the one that runs; its end loads the extension again. */
  install(id: string, how: { readonly update: boolean }, actor: Actor): Promise<Result<ExtensionDependencies>>;
  /** Preview of an install. */
  previewInstall(id: string): Promise<Result<InstallPreview>>;
  /** For agents: starts an install if installs are automatic, else requests it from a person. */
  requestInstall(id: string, actor: Actor): Promise<Result<ExtensionDependencies>>;
  cancelInstall(id: string): Promise<Result<ExtensionDependencies>>;
  /** Adds the package of a failed import to the declaration; resolves when the result is loaded or has failed. */
  declarePackage(id: string, name: string, actor: Actor): Promise<Result<ExtensionDependencies>>;
  /** Settles when no install runs and the extensions that needed one are loaded. */
  installsSettled(): Promise<void>;
}

const noticeSchema = z.object({
  from: z.string(),
  what: z.enum(['install', 'update', 'request', 'cancel']),
  id: z.string(),
  actor: z.string().nullable(),
});
type Notice = z.infer<typeof noticeSchema>;

export function createExtensionDependencies(
  { extensionsDir, slots }: { readonly extensionsDir: string; readonly slots: LoaderState['slots'] },
  dependencies: Dependencies,
  sources: Pick<SourceFiles, 'read' | 'write'>,
  instances: Pick<Instances, 'id' | 'notify' | 'onNotice'>,
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

  function change({ what, id, actor }: Omit<Notice, 'from'>): Promise<Result<ExtensionDependencies>> {
    return act(id, (candidate) => {
      if (what === 'request') return dependencies.request(candidate, actor);
      return what === 'cancel' ? dependencies.cancel(candidate) : dependencies.install(candidate, actor, { update: what === 'update' });
    });
  }

  /** Runs on this server, and then on the others. */
  async function changeAll(notice: Omit<Notice, 'from'>): Promise<Result<ExtensionDependencies>> {
    const done = await change(notice);
    if (done.ok) instances.notify('dependencies', JSON.stringify({ from: instances.id(), ...notice } satisfies Notice));
    return done;
  }

  instances.onNotice('dependencies', (about) => {
    if (about === '') return;
    const notice = noticeSchema.parse(JSON.parse(about));
    // Refused on servers that have nothing to do.
    if (notice.from !== instances.id()) void change(notice);
  });

  return {
    dependencies: (id) => act(id, async () => ok(null)),
    async previewInstall(id) {
      const found = find(id);
      return found.ok ? dependencies.preview(found.value.candidate) : found;
    },
    install: (id, { update }, actor) => changeAll({ what: update ? 'update' : 'install', id, actor: actor.name }),
    requestInstall: (id, actor) => changeAll({ what: 'request', id, actor: actor.name }),
    cancelInstall: (id) => changeAll({ what: 'cancel', id, actor: null }),
    async declarePackage(id, name, actor) {
      const found = find(id);
      if (!found.ok) return found;
      const { candidate, slot } = found.value;
      // Only the package that the failure names: no other text is written to a file.
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
