import { access } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import type { DependencyInstall, DependencyMode, ExtensionDependencies, InstallPreview } from '#lib/contract/dependencies.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import { ok, refuse, type Result } from '#lib/contract/result.ts';
import type { BuildEnvironments, Candidate } from '#lib/loader/build.ts';
import { createSourceReader } from '#lib/loader/source-reader.ts';
import { type Declaration, declarationKey, type DependencySources, type ReadDeclaration, type ReadFile } from './declaration.ts';
import { type EnvironmentFolder, openEnvironmentFolder, pythonOf } from './environment-folder.ts';
import { type Asker, createInstalls } from './installs.ts';
import type { InstallerSettings } from './make-environment.ts';
import { type DeclarationEdit, declarePackage, hintMissing } from './missing-packages.ts';
import { packagesOfLock, readNodeDeclaration } from './node-declaration.ts';
import { createPreviews } from './previews.ts';
import { readPythonDeclaration } from './python-declaration.ts';
import { packagesInLock } from './python-installer.ts';
import { sizeOf } from './run-installer.ts';

/**
 * Finds the environment of an extension for its build, and installs missing ones in the background, never during a load.
 *
 * What can go wrong: two extensions need the same set at once (one install, both load when it ends); the declaration changes during
 * an install (the old install is cancelled unless another extension needs it); the install failed (the load fails with that error
 * until someone retries the install).
 */
export interface Dependencies extends BuildEnvironments {
  /** The edit that declares this package. */
  declaring(candidate: Candidate, name: string): Promise<DeclarationEdit | null>;
  view(candidate: Candidate): Promise<ExtensionDependencies>;
  /** Preview of an install. */
  preview(candidate: Candidate): Promise<Result<InstallPreview>>;
  install(candidate: Candidate, actor: string | null, how: { readonly update: boolean }): Promise<Result<null>>;
  /** An agent requests the install: it begins in mode `auto`; otherwise a person decides, and sees who requested it. */
  request(candidate: Candidate, actor: string | null): Promise<Result<null>>;
  cancel(candidate: Candidate): Promise<Result<null>>;
  /** In mode `auto`, the next build of these extensions retries failed installs. Null: all extensions. */
  forgetFailures(ids: readonly string[] | null): void;
  /** Settles when no install runs and the extensions that needed one are loaded. */
  settled(): Promise<void>;
  /** Removes environments that are not among these ids and were not used for 7 days. */
  sweep(kept: ReadonlySet<string>): Promise<number>;
  close(): Promise<void>;
}

export interface DependenciesOptions extends InstallerSettings {
  readonly mode: DependencyMode;
  readonly extensionsDir: string;
  readonly environmentsDir: string;
  hideSecrets(text: string): string;
  /** An install of these extensions started, wrote output, ended, or was requested. */
  changed(ids: readonly string[], status: DependencyInstall['state'] | 'requested'): void;
  /** Load these extensions again: their install has ended. */
  ended(ids: readonly string[], by: Asker): Promise<void>;
  log(level: 'info' | 'warn', message: string, fields?: Readonly<Record<string, unknown>>): void;
}

const AUTOMATIC: Asker = { automatic: true, actor: null };
const REQUESTS_KEPT = 1_000;

export async function createDependencies(options: DependenciesOptions): Promise<Dependencies> {
  const { mode, sources, extensionsDir } = options;
  const environments = await openEnvironmentFolder(options.environmentsDir);
  /** The key of each extension's newest declaration. */
  const needs = new Map<string, string>();
  const idsOf = (key: string): readonly string[] => [...needs].flatMap(([id, own]) => (own === key ? [id] : []));
  /** Who requested the install of a set without permission to start it. */
  const requests = new Map<string, { readonly actor: string | null; readonly at: string }>();
  const installs = createInstalls({
    environments,
    settings: options,
    platformOf,
    hideSecrets: options.hideSecrets,
    changed: (key, state) => options.changed(idsOf(key), state),
    ended(key, { declaration, state, failure }) {
      if (failure !== null) previews.forget(key);
      const fields = { extensions: idsOf(key), requirements: declaration.requirements.map(({ text }) => text) };
      if (failure === null) options.log('info', `install of dependencies ${state}`, fields);
      else options.log('warn', `install of dependencies failed: ${failure.message}`, fields);
    },
    load: (key, by) => options.ended(idsOf(key), by),
  });
  const previews = createPreviews(options);

  const readerOf = ({ folder }: Candidate): ReadFile => createSourceReader(extensionsDir, join(folder, '.env')).read;

  /** Cancels installs that no extension needs any more. */
  function noteNeed(id: string, key: string | null): void {
    const before = needs.get(id);
    if (key === null) needs.delete(id);
    else needs.set(id, key);
    if (before === undefined || before === key || idsOf(before).length > 0) return;
    void installs.cancel(before);
  }

  async function platformOf({ ecosystem }: Declaration): Promise<readonly string[]> {
    const own = [process.platform, process.arch];
    if (ecosystem === 'node') return [...own, process.versions.modules];
    const python = await options.python();
    return [...own, python?.program ?? '', python?.version ?? ''];
  }

  async function keyOf(declaration: Declaration): Promise<string> {
    return declarationKey(declaration, await platformOf(declaration));
  }

  function readDeclaration({ runtime, folder, entryFile }: Candidate, read: ReadFile): Promise<ReadDeclaration> {
    if (runtime === 'python') return readPythonDeclaration(entryFile, folder, read, sources);
    if (runtime === 'node') return readNodeDeclaration(folder, read, sources);
    return readServerDeclaration(folder, entryFile, read, sources, extensionsDir);
  }

  /** Exact versions of the last install of the same declaration, or of its preview. */
  async function lockOf(key: string): Promise<string | null> {
    return (await environments.declared(key))?.lock ?? previews.lockOf(key);
  }

  async function begin(key: string, declaration: Declaration, by: Asker, isUpdate: boolean): Promise<void> {
    const lock = isUpdate ? null : await lockOf(key);
    requests.delete(key);
    if (!installs.isActive(key)) installs.begin(key, declaration, by, lock);
  }

  async function stateOf(
    candidate: Candidate,
    declaration: Declaration,
  ): Promise<{
    readonly key: string;
    readonly state: 'own' | 'ready' | 'missing' | 'installing' | 'failed';
    readonly own: string | null;
    readonly found: Awaited<ReturnType<EnvironmentFolder['ready']>>;
  }> {
    const key = await keyOf(declaration);
    const own = declaration.own ?? (await ownEnvironment(candidate, declaration));
    if (own !== null) return { key, state: 'own', own, found: null };
    const found = await environments.ready(key);
    if (found !== null) return { key, state: 'ready', own, found };
    if (installs.isActive(key)) return { key, state: 'installing', own, found };
    return { key, state: installs.get(key)?.view.state === 'failed' ? 'failed' : 'missing', own, found };
  }

  async function current(candidate: Candidate): Promise<ReadDeclaration> {
    return readDeclaration(candidate, readerOf(candidate));
  }

  /** The declaration of an extension that this server may install. */
  async function installable(candidate: Candidate): Promise<Result<{ key: string; declaration: Declaration; state: string }>> {
    if (mode === 'off')
      return refuse(
        'state_conflict',
        'This server does not install dependencies: EXTENSION_DEPENDENCIES is off. Set it to ask or auto and restart the server.',
      );
    const declared = await current(candidate);
    if (!declared.ok)
      return refuse('state_conflict', `The declared dependencies of ${candidate.id} are refused: ${declared.failure.message}`);
    const { declaration } = declared;
    if (declaration === null) return refuse('state_conflict', `${candidate.id} declares no dependencies.`);
    const { key, state } = await stateOf(candidate, declaration);
    if (state === 'own')
      return refuse('state_conflict', `${candidate.id} uses the packages in its own folder (.venv or node_modules). Remove them first.`);
    return ok({ key, declaration, state });
  }

  return {
    hint: (candidate, failure) => hintMissing(candidate, failure, extensionsDir, readerOf(candidate)),
    declaring: (candidate, name) => declarePackage(candidate, name, readerOf(candidate)),
    async find(candidate, read) {
      const declared = await readDeclaration(candidate, read);
      const nothing = { environment: null, salt: '', missing: declared.missing };
      if (!declared.ok) return { ...nothing, failure: declared.failure };
      if (declared.declaration === null) {
        noteNeed(candidate.id, null);
        return { ...nothing, failure: null };
      }
      const { declaration } = declared;
      const { key, state, own, found } = await stateOf(candidate, declaration);
      noteNeed(candidate.id, key);
      if (own !== null) return { ...nothing, environment: { folder: own, packages: null }, failure: null };
      if (found !== null) {
        const { environment, updates } = found;
        const packages = Object.fromEntries(environment.packages.map(({ name, version }) => [name, version]));
        // An update is another revision, so that it can be rolled back.
        const salt = updates === 0 ? '' : ` ${environment.id}`;
        return { environment: { folder: environment.folder, packages }, salt, missing: declared.missing, failure: null };
      }
      const { file, line } = declaration;
      const named = namesOf(declaration);
      if (state === 'failed') {
        const failed = installs.get(key);
        const output = failed?.newest.join('\n') ?? '';
        const { message = '', hint = '' } = failed?.view.failure ?? {};
        return {
          ...nothing,
          failure: {
            code: 'dependencies_failed',
            message: `${named} could not be installed. ${message}`,
            hint,
            file,
            line,
            ...(output === '' ? {} : { output }),
          },
        };
      }
      if (state === 'missing' && mode === 'auto') await begin(key, declaration, AUTOMATIC, false);
      const isUnderWay = installs.isActive(key);
      const are = declaration.requirements.length === 1 ? 'is' : 'are';
      const message = isUnderWay ? `${named} ${are} being installed.` : `${named} ${are} not installed.`;
      return {
        ...nothing,
        failure: {
          code: 'dependencies_missing',
          message,
          hint: isUnderWay ? UNDER_WAY : hintFor(candidate, declaration, mode),
          file,
          line,
        },
      };
    },
    async view(candidate) {
      const declared = await current(candidate);
      const nothing: ExtensionDependencies = {
        extension: candidate.id,
        mode,
        state: declared.ok ? 'none' : 'invalid',
        ecosystem: null,
        declared_in: null,
        requires_python: null,
        requirements: [],
        locked: null,
        environment: null,
        undeclared: null,
        requested: null,
        install: null,
      };
      if (!declared.ok || declared.declaration === null) return nothing;
      const { declaration } = declared;
      const { key, state, found } = await stateOf(candidate, declaration);
      const install = installs.get(key)?.view ?? null;
      const lock = state === 'missing' || state === 'failed' ? await lockOf(key) : null;
      return {
        ...nothing,
        state: installs.isActive(key) ? 'installing' : state,
        ecosystem: declaration.ecosystem,
        declared_in: relative(extensionsDir, declaration.file).replaceAll(sep, '/'),
        requires_python: declaration.requiresPython,
        requirements: declaration.requirements.map(({ name, text }) => ({ name, requirement: text })),
        locked: lockedBy(declaration, lock),
        environment:
          found === null
            ? null
            : {
                id: found.environment.id,
                installer: found.environment.installer,
                made_at: found.environment.madeAt,
                packages: [...found.environment.packages],
                size_bytes: await sizeOf(found.environment.folder),
              },
        requested: requests.get(key) ?? null,
        install,
      };
    },
    async preview(candidate) {
      const found = await installable(candidate);
      if (!found.ok) return found;
      const { key, declaration } = found.value;
      return ok(await previews.get(key, declaration, (await environments.declared(key))?.lock ?? null));
    },
    async install(candidate, actor, { update }) {
      const found = await installable(candidate);
      if (!found.ok) return found;
      const { key, declaration, state } = found.value;
      needs.set(candidate.id, key);
      if (state !== 'ready' || update) await begin(key, declaration, { automatic: false, actor }, update);
      return ok(null);
    },
    async request(candidate, actor) {
      const found = await installable(candidate);
      if (!found.ok) return found;
      const { key, declaration, state } = found.value;
      if (state === 'ready' || state === 'installing') return ok(null);
      if (mode === 'auto') await begin(key, declaration, { automatic: false, actor }, false);
      else {
        requests.set(key, { actor, at: new Date().toISOString() });
        for (const [old] of requests) if (requests.size > REQUESTS_KEPT) requests.delete(old);
        options.changed(idsOf(key), 'requested');
      }
      return ok(null);
    },
    async cancel(candidate) {
      const declared = await current(candidate);
      const key = declared.ok && declared.declaration !== null ? await keyOf(declared.declaration) : '';
      if (await installs.cancel(key)) return ok(null);
      return refuse('state_conflict', `No install of ${candidate.id} is running.`);
    },
    forgetFailures(ids) {
      if (mode === 'auto') installs.forget((key) => ids === null || ids.some((id) => needs.get(id) === key));
    },
    settled: () => installs.settled(),
    sweep: (kept) => environments.sweep(kept, LIMITS.environmentUnusedMs),
    async close() {
      await Promise.all([installs.close(), previews.close()]);
    },
  };
}

const UNDER_WAY = 'The extension is loaded when the install has ended. Its page shows the output.';

function hintFor({ id, runtime }: Candidate, { ecosystem }: Declaration, mode: DependencyMode): string {
  const own = ecosystem === 'node' ? 'run `npm install` in its folder' : 'make a `.venv` with them in its folder';
  const by = runtime === 'mcp' ? '' : `, or ${own}`;
  if (mode === 'off') return `This server does not install dependencies. Set EXTENSION_DEPENDENCIES to ask or auto and restart it${by}.`;
  return `Press Install on the page of the extension, or POST /api/v1/extensions/${encodeURIComponent(id)}/install${by}.`;
}

function namesOf({ requirements, requiresPython }: Declaration): string {
  const names = requirements.map(({ text }) => `“${text.slice(0, 80)}”`);
  if (names.length === 0) return `Python ${requiresPython ?? ''}`;
  return names.length > 5 ? `${names.slice(0, 5).join(', ')} and ${names.length - 5} more` : names.join(', ');
}

/** An MCP server can belong to either ecosystem. Entries of a shared mcp.json declare no dependencies. */
async function readServerDeclaration(
  folder: string,
  entryFile: string,
  read: ReadFile,
  sources: DependencySources,
  extensionsDir: string,
): Promise<ReadDeclaration> {
  if (folder === extensionsDir) return { ok: true, declaration: null, missing: [] };
  const node = await readNodeDeclaration(folder, read, sources);
  if (!node.ok || node.declaration !== null) return node;
  const python = await readPythonDeclaration(entryFile, folder, read, sources);
  return { ...python, missing: [...node.missing, ...python.missing] };
}

/** A virtual environment that somebody created in the folder of the extension is used unchanged. */
function ownEnvironment({ folder }: Candidate, { ecosystem }: Declaration): Promise<string | null> {
  const own = join(folder, '.venv');
  if (ecosystem === 'node') return Promise.resolve(null);
  return access(pythonOf(own)).then(
    () => own,
    () => null,
  );
}

/** Exact versions that an install would add; null when unknown. */
function lockedBy({ ecosystem, locked }: Declaration, lock: string | null): { name: string; version: string }[] | null {
  const ofLock = lock === null ? [] : ecosystem === 'node' ? packagesOfLock(lock) : packagesInLock(lock);
  const known = locked === null || locked.length === 0 ? ofLock : locked;
  return known.length === 0 ? null : known.map(({ name, version }) => ({ name, version }));
}
