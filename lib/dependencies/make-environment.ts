import { constants } from 'node:fs';
import { access, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { delimiter, dirname, isAbsolute, join } from 'node:path';
import { z } from 'zod';
import type { Declaration, DependencySources, InstalledPackage } from './declaration.ts';
import { pythonOf } from './environment-folder.ts';
import type { MadeFacts } from './environment-folder.ts';
import { explainInstall } from './explain-install.ts';
import type { InstallFailure } from './explain-install.ts';
import { runInstaller } from './run-installer.ts';
import type { InstallLimits, StepOutcome } from './run-installer.ts';

/**
 * Makes an environment in an empty folder: `uv` where it is on the path, else `venv` and `pip`; `npm` for Node. Packages are
 * installed as they were built: neither build steps nor install scripts run.
 */
export interface MakeOptions {
  readonly declaration: Declaration;
  /** Of the same declaration, made earlier: its exact versions are installed. Null: versions are resolved. */
  readonly lock: string | null;
  readonly folder: string;
  readonly sources: DependencySources;
  readonly environment: Readonly<Record<string, string>>;
  readonly prefix: readonly string[];
  /** The configured interpreter of extensions. */
  readonly python: { readonly program: string; readonly version: string } | null;
  readonly signal: AbortSignal;
  readonly limits: InstallLimits;
  readonly onLine: (line: string) => void;
}

export type Made =
  | { readonly ok: true; readonly facts: MadeFacts }
  | ({ readonly ok: false; readonly isCancelled: boolean } & InstallFailure);

type Run = (program: string, ...args: readonly string[]) => Promise<StepOutcome>;

export async function makeEnvironment(options: MakeOptions): Promise<Made> {
  const { declaration, folder, limits } = options;
  const printed: string[] = [];
  const endsAt = performance.now() + limits.ms;
  let failed: Made | null = null;
  const run: Run = async (...command) => {
    const outcome = await runInstaller({
      ...options,
      command,
      limits: { ms: Math.max(1, endsAt - performance.now()), bytes: limits.bytes },
      onLine(line) {
        printed.push(line);
        options.onLine(line);
      },
    });
    if (!outcome.ok) failed ??= explainStep(outcome, options, printed);
    return outcome;
  };
  for (const [name, text] of Object.entries(declaration.files)) await writeFile(join(folder, name), text);
  const facts = await (declaration.ecosystem === 'python' ? makePython(options, run) : makeNode(options, run));
  if (facts === null || 'message' in facts)
    return failed ?? { ok: false, isCancelled: false, ...(facts ?? explainInstall(declaration.ecosystem, printed)) };
  return { ok: true, facts };
}

function explainStep(
  { reason, detail }: Extract<StepOutcome, { ok: false }>,
  { declaration, limits }: MakeOptions,
  printed: readonly string[],
): Made {
  switch (reason) {
    case 'cancelled':
      return { ok: false, isCancelled: true, message: 'The install was cancelled.', hint: 'Press Install to start again.' };
    case 'timeout':
      return {
        ok: false,
        isCancelled: false,
        message: `The install did not finish within ${Math.round(limits.ms / 60_000)} minutes and was stopped.`,
        hint: 'Check the connection to the index, then install again; downloaded files are in the cache.',
      };
    case 'size':
      return {
        ok: false,
        isCancelled: false,
        message: `The install exceeded ${Math.round(limits.bytes / 1_048_576).toLocaleString('en')} MiB and was stopped.`,
        hint: 'Choose a smaller package, such as a build without GPU support, or make a `.venv` in the folder of the extension yourself.',
      };
    case 'spawn':
      return {
        ok: false,
        isCancelled: false,
        message: `The installer could not be started: ${detail}.`,
        hint: 'Check the limits and permissions of the user that runs the server.',
      };
    case 'exit':
      return { ok: false, isCancelled: false, ...explainInstall(declaration.ecosystem, printed) };
  }
}

/** Of one platform: an environment of another is not usable. */
export function findOnPath(name: string, searchPath: string): Promise<string | null> {
  const folders = searchPath.split(delimiter).filter((one) => isAbsolute(one));
  return [...folders, dirname(process.execPath)].reduce<Promise<string | null>>(async (found, folder) => {
    const file = join(folder, name);
    return (
      (await found) ??
      access(file, constants.X_OK).then(
        () => file,
        () => null,
      )
    );
  }, Promise.resolve(null));
}

async function makePython(options: MakeOptions, run: Run): Promise<MadeFacts | InstallFailure | null> {
  const { declaration, environment, python } = options;
  const uv = await findOnPath('uv', environment['PATH'] ?? '');
  const { requiresPython } = declaration;
  if (python === null)
    return { message: 'Python is not installed on the server.', hint: 'Install Python 3.10 or newer, or set PYTHON to its path.' };
  const fits = requiresPython === null || satisfies(python.version, requiresPython);
  if (uv === null && !fits)
    return {
      message: `The extension needs Python ${requiresPython}; the server has ${python.version}.`,
      hint: 'Set PYTHON to a Python of that version, or install `uv`, which picks a matching one.',
    };
  return uv === null ? withPip(options, python.program, run) : withUv(options, uv, fits ? python.program : (requiresPython ?? ''), run);
}

const LOCK_FILE = 'lock.txt';

async function withUv(options: MakeOptions, uv: string, python: string, run: Run): Promise<MadeFacts | null> {
  const { declaration, folder, lock: known, environment } = options;
  const version = await printedBy(options, [uv, '--version']);
  const venv = await run(uv, 'venv', '--relocatable', '--no-project', '--allow-existing', ...pythonChoice(python, environment), '.');
  if (!venv.ok) return null;
  const lockFile = join(folder, LOCK_FILE);
  const isDirect = hasDirect(declaration);
  // A package from an address has no version that an index knows.
  const lock = isDirect ? null : known;
  if (lock !== null) await writeFile(lockFile, lock);
  else {
    const constraints = 'constraints.txt' in declaration.files ? ['--constraints', 'constraints.txt'] : [];
    const hashes = isDirect ? [] : ['--generate-hashes', '--only-binary', ':all:'];
    const quiet = ['--quiet', '--no-header', '--no-annotate', '--python', pythonOf(folder)];
    const resolved = await run(uv, 'pip', 'compile', ...quiet, ...hashes, ...constraints, '--output-file', LOCK_FILE, 'requirements.txt');
    if (!resolved.ok) return null;
  }
  const strict = isDirect ? [] : ['--require-hashes', '--only-binary', ':all:'];
  const into = ['--python', pythonOf(folder), '--compile-bytecode', '--allow-empty-requirements'];
  if (!(await run(uv, 'pip', 'sync', ...into, ...strict, LOCK_FILE)).ok) return null;
  return {
    ecosystem: 'python',
    lock: await readFile(lockFile, 'utf8'),
    packages: await pythonPackages(folder),
    installer: /uv \d\S*/.exec(version)?.[0] ?? 'uv',
  };
}

/** Interpreters are picked among the installed ones, unless the server's settings of uv allow downloads. */
function pythonChoice(python: string, environment: Readonly<Record<string, string>>): readonly string[] {
  return ['--python', python, ...('UV_PYTHON_DOWNLOADS' in environment ? [] : ['--no-python-downloads'])];
}

/** With the pip of the interpreter itself where it can install into another environment; else with one that `venv` brings. */
async function withPip(options: MakeOptions, python: string, run: Run): Promise<MadeFacts | null> {
  const { declaration, folder } = options;
  const own = pythonOf(folder);
  const shared = await pipVersion(options, python);
  const isShared = shared !== null && (shared.major > 22 || (shared.major === 22 && shared.minor >= 3));
  if (!(await run(python, '-I', '-m', 'venv', ...(isShared ? ['--without-pip'] : []), folder)).ok) return null;
  const pip = isShared ? [python, '-I', '-m', 'pip', '--python', own] : [own, '-I', '-m', 'pip'];
  const version = isShared ? shared : await pipVersion(options, own);
  const canReport = version !== null && (version.major > 22 || (version.major === 22 && version.minor >= 2));
  const before = new Set((await pythonPackages(folder)).map(({ name }) => name));
  const isDirect = hasDirect(declaration);
  // A package from an address has no version that an index knows.
  const lock = isDirect ? null : options.lock;
  if (lock !== null) await writeFile(join(folder, LOCK_FILE), lock);
  const constraints = 'constraints.txt' in declaration.files ? ['-c', 'constraints.txt'] : [];
  const from = lock !== null ? ['--no-deps', '-r', LOCK_FILE] : ['-r', 'requirements.txt', ...constraints];
  const quiet = ['--disable-pip-version-check', '--no-input', '--progress-bar', 'off'];
  const wheels = isDirect ? [] : ['--only-binary', ':all:'];
  const reported = canReport ? ['--report', 'report.json'] : [];
  const [program = own, ...args] = pip;
  const isEmpty = declaration.requirements.length === 0;
  if (!isEmpty && !(await run(program, ...args, 'install', ...quiet, ...wheels, ...reported, ...from)).ok) return null;
  const report = canReport ? await readReport(join(folder, 'report.json')) : null;
  const required = new Set(report?.map(({ name }) => name) ?? []);
  // Of the packages that `venv` brings, those that nothing requires are removed.
  const packages = (await pythonPackages(folder)).filter(({ name }) => !before.has(name) || required.has(name));
  for (const name of before) if (!packages.some((one) => one.name === name)) await removePackage(folder, name);
  const lines = report?.map(({ name, version: one, hash }) => `${name}==${one}${hash === null ? '' : ` --hash=sha256:${hash}`}`);
  // Without a report, or with a package from an address, there are no hashes: then versions alone are the lock.
  const areHashed = !isDirect && report !== null && report.every(({ hash }) => hash !== null);
  const exact = areHashed ? (lines ?? []) : packages.map(({ name, version: one }) => `${name}==${one}`);
  return {
    ecosystem: 'python',
    lock: lock ?? `${exact.toSorted().join('\n')}\n`,
    packages,
    installer: `pip ${version?.text ?? ''}`.trim(),
  };
}

/** Stdout of a program whose output belongs to no install; empty if it failed. */
async function printedBy(options: MakeOptions, command: readonly [string, ...(readonly string[])]): Promise<string> {
  const outcome = await runInstaller({ ...options, command, onLine: () => undefined });
  return outcome.ok ? outcome.stdout : '';
}

interface PipVersion {
  readonly text: string;
  readonly major: number;
  readonly minor: number;
}

/** Null without pip. */
async function pipVersion(options: MakeOptions, python: string): Promise<PipVersion | null> {
  const [, text, major, minor] = /^pip ((\d+)\.(\d+)\S*)/.exec(await printedBy(options, [python, '-I', '-m', 'pip', '--version'])) ?? [];
  return text === undefined ? null : { text, major: Number(major), minor: Number(minor) };
}

const reportSchema = z.object({
  install: z.array(
    z.object({
      metadata: z.object({ name: z.string(), version: z.string() }),
      download_info: z.object({ archive_info: z.object({ hashes: z.record(z.string(), z.string()).optional() }).optional() }),
    }),
  ),
});

async function readReport(file: string): Promise<readonly (InstalledPackage & { readonly hash: string | null })[] | null> {
  const read = reportSchema.safeParse(JSON.parse(await readFile(file, 'utf8').catch(() => 'null')));
  if (!read.success) return null;
  return read.data.install.map(({ metadata, download_info: from }) => ({
    name: plainName(metadata.name),
    version: metadata.version,
    hash: from.archive_info?.hashes?.['sha256'] ?? null,
  }));
}

function hasDirect({ requirements }: Declaration): boolean {
  return requirements.some(({ name, text }) => name === text || / ?@ /.test(text));
}

/** From the metadata folders of installed packages. */
async function pythonPackages(folder: string): Promise<readonly InstalledPackage[]> {
  const place = await modulesOf(folder);
  const names = place === null ? [] : await readdir(place);
  const found = names.flatMap((name) => {
    const [, own, version] = /^(.+)-([^-]+)\.dist-info$/.exec(name) ?? [];
    return own === undefined || version === undefined ? [] : [{ name: plainName(own), version }];
  });
  return found.toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

async function modulesOf(folder: string): Promise<string | null> {
  if (process.platform === 'win32') return join(folder, 'Lib', 'site-packages');
  const [version] = (await readdir(join(folder, 'lib')).catch(() => [])).filter((name) => /^python3\.\d+$/.test(name));
  return version === undefined ? null : join(folder, 'lib', version, 'site-packages');
}

async function removePackage(folder: string, name: string): Promise<void> {
  const place = await modulesOf(folder);
  if (place === null) return;
  const also = name === 'setuptools' ? ['pkg_resources', '_distutils_hack', 'distutils-precedence.pth'] : [];
  const entries = (await readdir(place)).filter((one) => one === name || one.startsWith(`${name}-`) || also.includes(one));
  const programs = name === 'pip' ? (await readdir(join(folder, 'bin'))).filter((one) => /^pip[\d.]*$/.test(one)) : [];
  const paths = [...entries.map((one) => join(place, one)), ...programs.map((one) => join(folder, 'bin', one))];
  await Promise.all(paths.map((path) => rm(path, { recursive: true, force: true })));
}

/** As the index compares names. */
export function plainName(name: string): string {
  return name.toLowerCase().replaceAll(/[-_.]+/g, '-');
}

async function makeNode(options: MakeOptions, run: Run): Promise<MadeFacts | InstallFailure | null> {
  const { declaration, folder, lock, environment, sources } = options;
  const npm = await findOnPath(process.platform === 'win32' ? 'npm.cmd' : 'npm', environment['PATH'] ?? '');
  if (npm === null)
    return {
      message: 'npm is not installed on the server.',
      hint: 'Install npm so that it is on the PATH of the server; it comes with Node.',
    };
  const lockFile = join(folder, 'package-lock.json');
  if (lock !== null) await writeFile(lockFile, lock);
  const version = await printedBy(options, [npm, '--version']);
  const isLocked = lock !== null || 'package-lock.json' in declaration.files;
  const quiet = ['--no-audit', '--no-fund', '--no-update-notifier', '--no-progress', '--loglevel=http'];
  const only = ['--ignore-scripts', '--omit=dev', '--global=false', `--prefix=${folder}`];
  // Packages of the index may themselves require what comes from elsewhere. Tarballs of an index may have another address than it.
  const elsewhere = ['--allow-git=none', '--allow-file=none', '--allow-directory=none'];
  const installed = await run(npm, isLocked ? 'ci' : 'install', ...only, ...quiet, ...(sources === 'any' ? [] : elsewhere));
  if (!installed.ok) return null;
  return {
    ecosystem: 'node',
    lock: await readFile(lockFile, 'utf8'),
    packages: await nodePackages(folder),
    installer: `npm ${version.trim()}`,
  };
}

const hiddenLockSchema = z.object({ packages: z.record(z.string(), z.looseObject({ version: z.string().optional() })) });

/** From npm's own list of what it has installed. Only the version that extensions see, of a package in several versions. */
async function nodePackages(folder: string): Promise<readonly InstalledPackage[]> {
  const text = await readFile(join(folder, 'node_modules', '.package-lock.json'), 'utf8').catch(() => null);
  const read = text === null ? null : hiddenLockSchema.safeParse(JSON.parse(text));
  const found = Object.entries(read?.data?.packages ?? {}).flatMap(([place, { version }]) =>
    version === undefined || place.lastIndexOf('node_modules/') !== 0 ? [] : [{ name: place.slice('node_modules/'.length), version }],
  );
  return found.toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

/** Whether a version of Python is in a range such as `>=3.11,<4`. Parts that are no numbers count as 0. */
export function satisfies(version: string, range: string): boolean {
  return range
    .split(',')
    .filter((one) => one.trim() !== '')
    .every((one) => {
      const [, operator = '', text = ''] = /^\s*(===|~=|==|!=|<=|>=|<|>)\s*(\S+)\s*$/.exec(one) ?? [];
      const isPrefix = text.endsWith('.*');
      const wanted = numbersOf(text.replace(/\.\*$/, ''));
      const own = numbersOf(version);
      const order = compare(isPrefix ? own.slice(0, wanted.length) : own, wanted);
      switch (operator) {
        case '==':
        case '===':
          return order === 0;
        case '!=':
          return order !== 0;
        case '>=':
          return order >= 0;
        case '<=':
          return order <= 0;
        case '>':
          return order > 0;
        case '<':
          return order < 0;
        case '~=':
          return order >= 0 && compare(own.slice(0, wanted.length - 1), wanted.slice(0, -1)) === 0;
        default:
          return false;
      }
    });
}

function numbersOf(version: string): readonly number[] {
  return version.split('.').map((part) => Number.parseInt(part, 10) || 0);
}

function compare(one: readonly number[], other: readonly number[]): number {
  for (let at = 0; at < Math.max(one.length, other.length); at += 1) {
    const difference = (one[at] ?? 0) - (other[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
