import { constants } from 'node:fs';
import { access, mkdir, rm, writeFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import type { Declaration, DependencySources, ResolvedPackage, InstalledPackage } from './declaration.ts';
import type { EnvironmentFacts } from './environment-folder.ts';
import { explainInstall, type InstallFailure } from './explain-install.ts';
import { makePython, resolvePython } from './python-installer.ts';
import { findOnPath, type InstallLimits, runInstaller, type StepOutcome } from './run-installer.ts';
import { packagesOfLock } from './node-declaration.ts';

/** Settings shared by all installers of a server. */
export interface InstallerSettings {
  readonly sources: DependencySources;
  readonly environment: Readonly<Record<string, string>>;
  /** The command prefix that ends a process with the host. */
  prefix(): Promise<readonly string[]>;
  /** The configured interpreter of extensions; null without one. */
  python(): Promise<ConfiguredPython | null>;
}

export interface ConfiguredPython {
  readonly program: string;
  readonly version: string;
}

export interface InstallOptions {
  readonly declaration: Declaration;
  /** An earlier lock of the same declaration, whose exact versions are installed. Null: versions are resolved. */
  readonly lock: string | null;
  /** Empty. */
  readonly folder: string;
  readonly settings: InstallerSettings;
  readonly signal: AbortSignal;
  readonly limits: InstallLimits;
  readonly onLine: (line: string) => void;
}

/** Preview of an install. */
export interface Resolved {
  /** The lock for the install; null when the install must resolve versions again. */
  readonly lock: string | null;
  readonly packages: readonly ResolvedPackage[];
}

export type InstallResult<Value> =
  | { readonly ok: true; readonly value: Value }
  | ({ readonly ok: false; readonly isCancelled: boolean } & InstallFailure);

/** Runs programs in the folder of the install. */
export interface Steps {
  /** The error of the first failed program is the error of the install. */
  run(program: string, ...args: readonly string[]): Promise<StepOutcome>;
  /** Stdout of a program that is not part of the install output; empty if it failed. */
  printed(program: string, ...args: readonly string[]): Promise<string>;
}

/** Temporary files of installers: within the size limit, and removed with the folder after a kill. */
const TEMPORARY = '.tmp';

/**
 * Creates an environment in the folder: with `uv` if it is on the path, else with `venv` and `pip`; with `npm` for Node. Only prebuilt
 * packages are installed: neither build steps nor install scripts run.
 */
export function makeEnvironment(options: InstallOptions): Promise<InstallResult<EnvironmentFacts>> {
  return runSteps(options, options.declaration.ecosystem === 'python' ? makePython : makeNode);
}

/** Finds what `makeEnvironment` would install, also without running code of packages. `unknown`: only the install can resolve versions. */
export function resolvePackages(options: InstallOptions): Promise<InstallResult<Resolved | 'unknown'>> {
  return runSteps(options, options.declaration.ecosystem === 'python' ? resolvePython : resolveNode);
}

/** @param work resolves to null when one of its programs failed */
async function runSteps<Value>(
  options: InstallOptions,
  work: (options: InstallOptions, steps: Steps) => Promise<Value | InstallFailure | null>,
): Promise<InstallResult<Value>> {
  const { declaration, folder, limits, settings } = options;
  const printed: string[] = [];
  const endsAt = performance.now() + limits.ms;
  const prefix = await settings.prefix();
  const temporary = join(folder, TEMPORARY);
  const environment = {
    ...(await cachesFor(settings.environment, temporary)),
    ...settings.environment,
    TMPDIR: temporary,
    TMP: temporary,
    TEMP: temporary,
  };
  let failed: InstallResult<Value> | null = null;
  const start = (command: readonly [string, ...(readonly string[])], onLine: (line: string) => void): Promise<StepOutcome> =>
    runInstaller({
      command,
      folder,
      environment,
      prefix,
      signal: options.signal,
      limits: { ms: Math.max(1, endsAt - performance.now()), bytes: limits.bytes },
      onLine,
    });
  const steps: Steps = {
    async run(...command) {
      const outcome = await start(command, (line) => {
        printed.push(line);
        options.onLine(line);
      });
      if (!outcome.ok) failed ??= explainStep(outcome, options, printed);
      return outcome;
    },
    async printed(...command) {
      const outcome = await start(command, () => undefined);
      return outcome.ok ? outcome.stdout : '';
    },
  };
  await mkdir(temporary);
  for (const [name, text] of Object.entries(declaration.files)) await writeFile(join(folder, name), text);
  const run = async (): Promise<Value | InstallFailure | null> => {
    try {
      return await work(options, steps);
    } finally {
      await rm(temporary, { recursive: true, force: true });
    }
  };
  const value = await run();
  if (value === null) return failed ?? { ok: false, isCancelled: false, ...explainInstall(declaration.ecosystem, printed) };
  if (isFailure(value)) return { ok: false, isCancelled: false, ...value };
  return { ok: true, value };
}

/** npm needs a cache folder; by default it is in the home folder, which may be read-only in a container. */
async function cachesFor(environment: Readonly<Record<string, string>>, temporary: string): Promise<Record<string, string>> {
  const isWritable = await access(environment['HOME'] ?? '', constants.W_OK).then(
    () => true,
    () => false,
  );
  if (isWritable) return {};
  const caches = environment['XDG_CACHE_HOME'] ?? join(temporary, 'cache');
  const hasOwn = Object.keys(environment).some((name) => name.toLowerCase() === 'npm_config_cache');
  return { XDG_CACHE_HOME: caches, ...(hasOwn ? {} : { npm_config_cache: join(caches, 'npm') }) };
}

function isFailure(value: unknown): value is InstallFailure {
  return typeof value === 'object' && value !== null && 'message' in value && 'hint' in value;
}

function explainStep<Value>(
  { reason, detail }: Extract<StepOutcome, { ok: false }>,
  { declaration, limits }: InstallOptions,
  printed: readonly string[],
): InstallResult<Value> {
  const failed = (message: string, hint: string, isCancelled = false): InstallResult<Value> => ({ ok: false, isCancelled, message, hint });
  switch (reason) {
    case 'cancelled':
      return failed('The install was cancelled.', 'Press Install to start again.', true);
    case 'timeout':
      return failed(
        `The installer did not finish within ${Math.round(limits.ms / 60_000)} minutes and was stopped.`,
        'Check the connection to the index, then install again; downloaded files are in the cache.',
      );
    case 'size':
      return failed(
        `The installer exceeded ${Math.round(limits.bytes / 1_048_576).toLocaleString('en')} MiB and was stopped.`,
        'Choose a smaller package, such as a build without GPU support, or make a `.venv` in the folder of the extension yourself.',
      );
    case 'spawn':
      return failed(`The installer could not be started: ${detail}.`, 'Check the limits and permissions of the user that runs the server.');
    case 'exit':
      return { ok: false, isCancelled: false, ...explainInstall(declaration.ecosystem, printed) };
  }
}

/** `node_modules` by `npm`: `npm ci` with a lock file, else `npm install`; never with scripts. A lock is the text of a lock file. */
async function makeNode(options: InstallOptions, steps: Steps): Promise<EnvironmentFacts | InstallFailure | null> {
  const npm = await findNpm(options);
  if (typeof npm !== 'string') return npm;
  const lockFile = await writeLock(options);
  const version = await steps.printed(npm, '--version');
  if (!(await steps.run(npm, lockFile.isThere ? 'ci' : 'install', ...argumentsOf(options)).then(({ ok }) => ok))) return null;
  return {
    ecosystem: 'node',
    lock: await readFile(lockFile.path, 'utf8'),
    packages: await nodePackages(options.folder),
    installer: `npm ${version.trim()}`,
  };
}

/** The versions that npm would choose, from its lock file. */
async function resolveNode(options: InstallOptions, steps: Steps): Promise<Resolved | InstallFailure | null> {
  const npm = await findNpm(options);
  if (typeof npm !== 'string') return npm;
  const lockFile = await writeLock(options);
  if (!lockFile.isThere && !(await steps.run(npm, 'install', '--package-lock-only', ...argumentsOf(options))).ok) return null;
  const lock = await readFile(lockFile.path, 'utf8');
  return { lock, packages: packagesOfLock(lock) };
}

async function findNpm({ settings }: InstallOptions): Promise<string | InstallFailure> {
  const npm = await findOnPath(process.platform === 'win32' ? 'npm.cmd' : 'npm', settings.environment['PATH'] ?? '');
  return (
    npm ?? {
      message: 'npm is not installed on the server.',
      hint: 'Install npm so that it is on the PATH of the server; it comes with Node.',
    }
  );
}

async function writeLock({ declaration, folder, lock }: InstallOptions): Promise<{ readonly path: string; readonly isThere: boolean }> {
  const file = join(folder, 'package-lock.json');
  if (lock !== null) await writeFile(file, lock);
  return { path: file, isThere: lock !== null || 'package-lock.json' in declaration.files };
}

function argumentsOf({ folder, settings }: InstallOptions): readonly string[] {
  const quiet = ['--no-audit', '--no-fund', '--no-update-notifier', '--no-progress', '--loglevel=http'];
  const only = ['--ignore-scripts', '--omit=dev', '--global=false', '--package-lock=true', `--prefix=${folder}`];
  // Packages of the index may require packages from elsewhere. Tarballs of an index may have another host than the index.
  const elsewhere = ['--allow-git=none', '--allow-file=none', '--allow-directory=none'];
  return [...only, ...quiet, ...(settings.sources === 'any' ? [] : elsewhere)];
}

const hiddenLockSchema = z.object({ packages: z.record(z.string(), z.looseObject({ version: z.string().optional() })) });

/** From npm's own list of installed packages. Of a package in several versions, only the one that extensions see. */
async function nodePackages(folder: string): Promise<readonly InstalledPackage[]> {
  const text = await readFile(join(folder, 'node_modules', '.package-lock.json'), 'utf8').catch(() => null);
  const read = text === null ? null : hiddenLockSchema.safeParse(JSON.parse(text));
  const found = Object.entries(read?.data?.packages ?? {}).flatMap(([place, { version }]) =>
    version === undefined || place.lastIndexOf('node_modules/') !== 0 ? [] : [{ name: place.slice('node_modules/'.length), version }],
  );
  return found.toSorted((one, other) => (one.name < other.name ? -1 : 1));
}
