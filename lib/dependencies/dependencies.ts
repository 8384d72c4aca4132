import { access, rm } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import type { DependencyInstall, DependencyMode, ExtensionDependencies } from '#lib/contract/dependencies.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import type { Result } from '#lib/contract/result.ts';
import { ok, refuse } from '#lib/contract/result.ts';
import type { BuildEnvironments, Candidate } from '#lib/loader/build.ts';
import { createSourceReader } from '#lib/loader/source-reader.ts';
import { declarationKey } from './declaration.ts';
import type { Declaration, DependencySources, ReadDeclaration, ReadFile } from './declaration.ts';
import { openEnvironmentFolder, pythonOf } from './environment-folder.ts';
import type { EnvironmentFolder } from './environment-folder.ts';
import type { InstallFailure } from './explain-install.ts';
import { makeEnvironment } from './make-environment.ts';
import { declarePackage, hintMissing } from './missing-packages.ts';
import type { DeclarationEdit } from './missing-packages.ts';
import { readNodeDeclaration } from './node-declaration.ts';
import { readPythonDeclaration } from './python-declaration.ts';
import { sizeOf } from './run-installer.ts';

/**
 * Finds the environment of an extension for its build, and installs the missing ones in the background, never within a load.
 *
 * What can go wrong: two extensions need the same set at once (one install, both load when it ends); the declaration changes during
 * an install (the old set's is cancelled unless another extension needs it); an install fails (its failure is the failure of
 * the load until someone tries again; nothing loops); the host closes (installs are cancelled).
 */
export interface Dependencies extends BuildEnvironments {
  /** The edit that declares this package. */
  declaring(candidate: Candidate, name: string): Promise<DeclarationEdit | null>;
  view(candidate: Candidate): Promise<ExtensionDependencies>;
  install(candidate: Candidate, actor: string | null, how: { readonly update: boolean }): Promise<Result<null>>;
  cancel(candidate: Candidate): Promise<Result<null>>;
  /** In mode `auto`, failed installs of these extensions are tried again by their next build. Null: of all. */
  forgetFailures(ids: readonly string[] | null): void;
  /** Settles when no install runs and what needed them is loaded. */
  settled(): Promise<void>;
  /** Removes environments that none of these ids names and nothing has used for 7 days. */
  sweep(kept: ReadonlySet<string>): Promise<number>;
  close(): Promise<void>;
}

export interface DependenciesOptions {
  readonly mode: DependencyMode;
  readonly sources: DependencySources;
  readonly extensionsDir: string;
  readonly environmentsDir: string;
  /** Of installers. */
  readonly environment: Readonly<Record<string, string>>;
  /** The command prefix that ends a process with the host. */
  readonly prefix: () => Promise<readonly string[]>;
  /** The configured interpreter; null without one. */
  readonly python: () => Promise<{ readonly program: string; readonly version: string } | null>;
  hideSecrets(text: string): string;
  /** An install of these extensions began, printed, or ended. */
  changed(ids: readonly string[], install: DependencyInstall['state']): void;
  /** Load these extensions again: their install has ended. */
  ended(ids: readonly string[], by: Asker): Promise<void>;
  log(level: 'info' | 'warn', message: string, fields?: Readonly<Record<string, unknown>>): void;
}

/** Who began an install. */
export interface Asker {
  readonly automatic: boolean;
  readonly actor: string | null;
}

const AUTOMATIC: Asker = { automatic: true, actor: null };

interface Job {
  readonly declaration: Declaration;
  readonly controller: AbortController;
  readonly by: Asker;
  readonly startedAt: string;
  readonly key: string;
  readonly lines: string[];
  isTruncated: boolean;
  state: DependencyInstall['state'];
  endedAt: string | null;
  failure: InstallFailure | null;
  done: Promise<void>;
}

const AT_ONCE = 2;
const LINES_MOST = 500;
const LINES_IN_FAILURE = 20;
const JOBS_KEPT = 100;
const ANNOUNCE_MS = 250;

export async function createDependencies(options: DependenciesOptions): Promise<Dependencies> {
  const { mode, sources, extensionsDir } = options;
  const environments = await openEnvironmentFolder(options.environmentsDir);
  /** By the key of their declaration, oldest first. */
  const jobs = new Map<string, Job>();
  /** The key of each extension's newest declaration. */
  const needs = new Map<string, string>();
  const idsOf = (key: string): readonly string[] => [...needs].flatMap(([id, own]) => (own === key ? [id] : []));
  const waiting: (() => void)[] = [];
  /** Installs and the loads that follow them. */
  const underWay = new Set<Promise<void>>();
  const installs = new Set<Promise<void>>();
  let running = 0;
  let isClosed = false;

  const isActive = (job: Job | undefined): boolean => job?.state === 'waiting' || job?.state === 'running';

  const readerOf = ({ folder }: Candidate): ReadFile => createSourceReader(extensionsDir, join(folder, '.env')).read;

  /** An install that no extension needs any more is cancelled. */
  function noteNeed(id: string, key: string | null): void {
    const before = needs.get(id);
    if (key === null) needs.delete(id);
    else needs.set(id, key);
    if (before === undefined || before === key || idsOf(before).length > 0) return;
    const job = jobs.get(before);
    if (job !== undefined && isActive(job)) job.controller.abort();
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

  function begin(key: string, declaration: Declaration, by: Asker, lock: string | null): void {
    const job: Job = {
      declaration,
      controller: new AbortController(),
      by,
      startedAt: new Date().toISOString(),
      key,
      lines: [],
      isTruncated: false,
      state: 'waiting',
      endedAt: null,
      failure: null,
      done: Promise.resolve(),
    };
    jobs.delete(key);
    jobs.set(key, job);
    for (const [old, { state }] of jobs) if (jobs.size > JOBS_KEPT && state === 'succeeded') jobs.delete(old);
    const done = run(key, job, lock).catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error);
      end(job, 'failed', {
        message: `The install could not be carried out: ${reason}.`,
        hint: 'Check the disk and the rights of the server in DATA_DIR.',
      });
    });
    job.done = done.then(() => (isClosed ? undefined : options.ended(idsOf(key), job.by)));
    installs.add(done);
    underWay.add(job.done);
    void done.finally(() => installs.delete(done));
    void job.done.finally(() => underWay.delete(job.done));
  }

  async function run(key: string, job: Job, lock: string | null): Promise<void> {
    if (running >= AT_ONCE)
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
        job.controller.signal.addEventListener('abort', () => {
          const at = waiting.indexOf(resolve);
          if (at !== -1) waiting.splice(at, 1);
          resolve();
        });
      });
    running += 1;
    try {
      if (!job.controller.signal.aborted) await make(key, job, lock);
      else end(job, 'cancelled', null);
    } finally {
      running -= 1;
      waiting.shift()?.();
    }
  }

  async function make(key: string, job: Job, lock: string | null): Promise<void> {
    job.state = 'running';
    options.changed(idsOf(job.key), job.state);
    const announce = createThrottle(() => options.changed(idsOf(job.key), job.state));
    const folder = await environments.begin();
    try {
      const made = await makeEnvironment({
        declaration: job.declaration,
        lock,
        folder,
        sources,
        environment: options.environment,
        prefix: await options.prefix(),
        python: await options.python(),
        signal: job.controller.signal,
        limits: { ms: LIMITS.installMs, bytes: LIMITS.environmentBytes },
        onLine(line) {
          job.lines.push(options.hideSecrets(line));
          if (job.lines.length > LINES_MOST) job.isTruncated = job.lines.shift() !== undefined;
          announce();
        },
      });
      if (!made.ok)
        return end(job, made.isCancelled ? 'cancelled' : 'failed', made.isCancelled ? null : { message: made.message, hint: made.hint });
      await environments.publish(folder, key, made.facts, await platformOf(job.declaration));
      end(job, 'succeeded', null);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  function end(job: Job, state: 'succeeded' | 'failed' | 'cancelled', failure: InstallFailure | null): void {
    job.state = state;
    job.failure = failure;
    job.endedAt = new Date().toISOString();
    const ids = idsOf(job.key);
    const fields = { extensions: ids, requirements: job.declaration.requirements.map(({ text }) => text) };
    if (failure === null) options.log('info', `install of dependencies ${state}`, fields);
    else options.log('warn', `install of dependencies failed: ${failure.message}`, fields);
    options.changed(ids, state);
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
    const job = jobs.get(key);
    const found = await environments.ready(key);
    if (found !== null) return { key, state: 'ready', own, found };
    if (isActive(job)) return { key, state: 'installing', own, found };
    return { key, state: job?.state === 'failed' ? 'failed' : 'missing', own, found };
  }

  async function current(candidate: Candidate): Promise<ReadDeclaration> {
    return readDeclaration(candidate, readerOf(candidate));
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
        const job = jobs.get(key);
        const output = job?.lines.slice(-LINES_IN_FAILURE).join('\n') ?? '';
        const { message = '', hint = '' } = job?.failure ?? {};
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
      if (state === 'missing' && mode === 'auto' && !isClosed)
        begin(key, declaration, AUTOMATIC, (await environments.declared(key))?.lock ?? null);
      const isUnderWay = isActive(jobs.get(key));
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
        install: null,
      };
      if (!declared.ok || declared.declaration === null) return nothing;
      const { declaration } = declared;
      const { key, state, found } = await stateOf(candidate, declaration);
      const job = jobs.get(key);
      const lock = state === 'missing' || state === 'failed' ? await environments.declared(key) : null;
      return {
        ...nothing,
        state: isActive(job) ? 'installing' : state,
        ecosystem: declaration.ecosystem,
        declared_in: relative(extensionsDir, declaration.file).replaceAll(sep, '/'),
        requires_python: declaration.requiresPython,
        requirements: declaration.requirements.map(({ name, text }) => ({ name, requirement: text })),
        locked: [...(declaration.locked ?? [])].length > 0 ? [...(declaration.locked ?? [])] : lockedIn(lock?.lock ?? null),
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
        install: job === undefined ? null : installView(job),
      };
    },
    async install(candidate, actor, { update }) {
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
      if (isActive(jobs.get(key)) || (state === 'ready' && !update)) return ok(null);
      const lock = update ? null : ((await environments.declared(key))?.lock ?? null);
      needs.set(candidate.id, key);
      begin(key, declaration, { automatic: false, actor }, lock);
      return ok(null);
    },
    async cancel(candidate) {
      const declared = await current(candidate);
      const key = declared.ok && declared.declaration !== null ? await keyOf(declared.declaration) : '';
      const job = jobs.get(key);
      if (job === undefined || !isActive(job)) return refuse('state_conflict', `No install of ${candidate.id} is running.`);
      job.controller.abort();
      await job.done;
      return ok(null);
    },
    forgetFailures(ids) {
      if (mode !== 'auto') return;
      for (const [key, job] of jobs) if (!isActive(job) && (ids === null || ids.some((id) => needs.get(id) === key))) jobs.delete(key);
    },
    async settled() {
      while (underWay.size > 0) await Promise.all(underWay);
    },
    sweep: (kept) => environments.sweep(kept, LIMITS.environmentUnusedMs),
    async close() {
      isClosed = true;
      for (const { controller } of jobs.values()) controller.abort();
      await Promise.all(installs);
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

/** A server is a command of either ecosystem. Entries of one file with many servers declare nothing. */
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

/** A virtual environment that somebody made in the folder of the extension is used as it is. */
function ownEnvironment({ folder }: Candidate, { ecosystem }: Declaration): Promise<string | null> {
  const own = join(folder, '.venv');
  if (ecosystem === 'node') return Promise.resolve(null);
  return access(pythonOf(own)).then(
    () => own,
    () => null,
  );
}

function lockedIn(lock: string | null): { name: string; version: string }[] | null {
  if (lock === null) return null;
  const found = [...lock.matchAll(/^([\w.-]+)==([^\s;]+)/gm)].map(([, name = '', version = '']) => ({ name, version }));
  return found.length === 0 ? null : found;
}

function installView(job: Job): DependencyInstall {
  return {
    state: job.state,
    started_at: job.startedAt,
    ended_at: job.endedAt,
    ...job.by,
    output: [...job.lines],
    output_truncated: job.isTruncated,
    failure: job.failure === null ? null : { ...job.failure },
  };
}

/** At once, and then at most every `ANNOUNCE_MS`. */
function createThrottle(run: () => void): () => void {
  let next = 0;
  return () => {
    const now = performance.now();
    if (now < next) return;
    next = now + ANNOUNCE_MS;
    run();
  };
}
