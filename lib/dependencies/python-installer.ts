import { readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import type { Declaration, InstalledPackage, ResolvedPackage } from './declaration.ts';
import { type EnvironmentFacts, pythonOf } from './environment-folder.ts';
import type { InstallFailure } from './explain-install.ts';
import type { InstallOptions, Resolved, Steps } from './make-environment.ts';
import { findOnPath } from './run-installer.ts';

/**
 * Virtual environments: with `uv` if it is on the path, else with `venv` and `pip` of the configured Python. A lock has one line per
 * package, with its version and hashes.
 */
export async function makePython(options: InstallOptions, steps: Steps): Promise<EnvironmentFacts | InstallFailure | null> {
  const chosen = await chooseInstaller(options);
  if ('message' in chosen) return chosen;
  return chosen.uv === null ? withPip(options, chosen.python, steps) : withUv(options, chosen.uv, chosen.python, steps);
}

/** `python`: a program, or for `uv` also a range of versions. */
async function chooseInstaller({
  declaration: { requiresPython },
  settings,
}: InstallOptions): Promise<{ readonly uv: string | null; readonly python: string } | InstallFailure> {
  const uv = await findOnPath('uv', settings.environment['PATH'] ?? '');
  const python = await settings.python();
  if (python === null)
    return { message: 'Python is not installed on the server.', hint: 'Install Python 3.10 or newer, or set PYTHON to its path.' };
  if (requiresPython === null || satisfies(python.version, requiresPython)) return { uv, python: python.program };
  if (uv !== null) return { uv, python: requiresPython };
  return {
    message: `The extension needs Python ${requiresPython}; the server has ${python.version}.`,
    hint: 'Set PYTHON to a Python of that version, or install `uv`, which selects a matching one.',
  };
}

/** The versions that the installer would choose; it reads only metadata of the index, or archives. */
export async function resolvePython(options: InstallOptions, steps: Steps): Promise<Resolved | 'unknown' | InstallFailure | null> {
  const { declaration, folder, lock } = options;
  const chosen = await chooseInstaller(options);
  if ('message' in chosen) return chosen;
  // Resolving a package from a URL can run its code.
  if (hasDirect(declaration)) return 'unknown';
  const { uv, python } = chosen;
  if (uv !== null) return resolveWithUv(options, uv, python, steps);
  const version = await pipVersion(python, steps);
  if (version === null || !canReport(version)) return 'unknown';
  if (declaration.requirements.length === 0) return { lock: null, packages: [] };
  const install = [...pipInstall(await requirementsOf(options)), '--report', REPORT, '--dry-run', '--ignore-installed'];
  if (!(await steps.run(python, '-I', '-m', 'pip', ...install)).ok) return null;
  const report = await readReport(join(folder, REPORT));
  if (report === null) return 'unknown';
  return { lock: lock ?? (report.every(({ hash }) => hash !== null) ? lockText(report) : null), packages: report };
}

const LOCK_FILE = 'lock.txt';
const REPORT = 'report.json';

/** Writes the earlier lock, if any. */
async function requirementsOf({ declaration, folder, lock }: InstallOptions): Promise<Requirements> {
  const isDirect = hasDirect(declaration);
  // A package from a URL has no version in the index.
  const known = isDirect ? null : lock;
  if (known !== null) await writeFile(join(folder, LOCK_FILE), known);
  return { known, isDirect, isConstrained: 'constraints.txt' in declaration.files };
}

interface Requirements {
  /** File name of the earlier lock. */
  readonly known: string | null;
  readonly isDirect: boolean;
  readonly isConstrained: boolean;
}

async function withUv(options: InstallOptions, uv: string, python: string, steps: Steps): Promise<EnvironmentFacts | null> {
  const { folder, settings } = options;
  const version = await steps.printed(uv, '--version');
  const venv = ['venv', '--relocatable', '--no-project', '--allow-existing', ...pythonChoice(python, settings.environment), '.'];
  if (!(await steps.run(uv, ...venv)).ok) return null;
  const own = pythonOf(folder);
  const requirements = await requirementsOf(options);
  if (requirements.known === null && !(await steps.run(uv, ...uvCompile(requirements, own))).ok) return null;
  const strict = requirements.isDirect ? [] : ['--require-hashes', '--only-binary', ':all:'];
  const into = ['--python', own, '--compile-bytecode', '--allow-empty-requirements'];
  if (!(await steps.run(uv, 'pip', 'sync', ...into, ...strict, LOCK_FILE)).ok) return null;
  return {
    ecosystem: 'python',
    lock: await readFile(join(folder, LOCK_FILE), 'utf8'),
    packages: await pythonPackages(folder),
    installer: /uv \d\S*/.exec(version)?.[0] ?? 'uv',
  };
}

function uvCompile({ isDirect, isConstrained }: Requirements, python: string): readonly string[] {
  const constraints = isConstrained ? ['--constraints', 'constraints.txt'] : [];
  const hashes = isDirect ? [] : ['--generate-hashes', '--only-binary', ':all:'];
  const quiet = ['--quiet', '--no-header', '--no-annotate', '--python', python];
  return ['pip', 'compile', ...quiet, ...hashes, ...constraints, '--output-file', LOCK_FILE, 'requirements.txt'];
}

async function resolveWithUv(options: InstallOptions, uv: string, python: string, steps: Steps): Promise<Resolved | null> {
  const requirements = await requirementsOf(options);
  if (requirements.known === null && !(await steps.run(uv, ...uvCompile(requirements, python))).ok) return null;
  const lock = await readFile(join(options.folder, LOCK_FILE), 'utf8');
  return { lock, packages: packagesInLock(lock).map((one) => ({ ...one, address: null })) };
}

/** Only installed interpreters are used, unless the server's uv settings allow downloads. */
function pythonChoice(python: string, environment: Readonly<Record<string, string>>): readonly string[] {
  return ['--python', python, ...('UV_PYTHON_DOWNLOADS' in environment ? [] : ['--no-python-downloads'])];
}

/** Uses the pip of the interpreter if it can install into another environment; else the one from `venv`. */
async function withPip(options: InstallOptions, python: string, steps: Steps): Promise<EnvironmentFacts | null> {
  const { declaration, folder } = options;
  const own = pythonOf(folder);
  const shared = await pipVersion(python, steps);
  const isShared = shared !== null && isFrom(shared, 3);
  if (!(await steps.run(python, '-I', '-m', 'venv', ...(isShared ? ['--without-pip'] : []), folder)).ok) return null;
  const [program, ...args] = isShared ? ([python, '-I', '-m', 'pip', '--python', own] as const) : ([own, '-I', '-m', 'pip'] as const);
  const version = isShared ? shared : await pipVersion(own, steps);
  const hasReport = version !== null && canReport(version);
  const before = new Set((await pythonPackages(folder)).map(({ name }) => name));
  const requirements = await requirementsOf(options);
  const install = [...pipInstall(requirements), ...(hasReport ? ['--report', REPORT] : [])];
  const isEmpty = declaration.requirements.length === 0;
  if (!isEmpty && !(await steps.run(program, ...args, ...install)).ok) return null;
  const report = hasReport ? await readReport(join(folder, REPORT)) : null;
  const required = new Set(report?.map(({ name }) => name) ?? []);
  // Removes packages that `venv` added and nothing requires.
  const packages = (await pythonPackages(folder)).filter(({ name }) => !before.has(name) || required.has(name));
  for (const name of before) if (!packages.some((one) => one.name === name)) await removePackage(folder, name);
  // Without a report, or with a package from a URL, hashes are missing: the lock then has only versions.
  const areHashed = !requirements.isDirect && report !== null && report.every(({ hash }) => hash !== null);
  return {
    ecosystem: 'python',
    lock: requirements.known ?? lockText(areHashed ? report : packages),
    packages,
    installer: `pip ${version?.text ?? ''}`.trim(),
  };
}

function pipInstall({ known, isDirect, isConstrained }: Requirements): readonly string[] {
  const constraints = isConstrained ? ['-c', 'constraints.txt'] : [];
  const from = known !== null ? ['--no-deps', '-r', LOCK_FILE] : ['-r', 'requirements.txt', ...constraints];
  const wheels = isDirect ? [] : ['--only-binary', ':all:'];
  return ['install', '--disable-pip-version-check', '--no-input', '--progress-bar', 'off', ...wheels, ...from];
}

function lockText(packages: readonly (InstalledPackage & { readonly hash?: string | null })[]): string {
  const lines = packages.map(({ name, version, hash = null }) => `${name}==${version}${hash === null ? '' : ` --hash=sha256:${hash}`}`);
  return `${lines.toSorted().join('\n')}\n`;
}

/** The packages of a lock. */
export function packagesInLock(lock: string): readonly InstalledPackage[] {
  return [...lock.matchAll(/^([\w.-]+)==([^\s;]+)/gm)].map(([, name = '', version = '']) => ({ name, version }));
}

interface PipVersion {
  readonly text: string;
  readonly major: number;
  readonly minor: number;
}

/** Its version; null without pip. `pip --version` would load all of pip. */
async function pipVersion(python: string, steps: Steps): Promise<PipVersion | null> {
  const printed = await steps.printed(python, '-I', '-c', 'import pip; print(pip.__version__)');
  const [, text, major, minor] = /^((\d+)\.(\d+)\S*)/.exec(printed) ?? [];
  return text === undefined ? null : { text, major: Number(major), minor: Number(minor) };
}

/** Version 22.`minor` or newer. */
function isFrom(version: PipVersion, minor: number): boolean {
  return version.major > 22 || (version.major === 22 && version.minor >= minor);
}

function canReport(version: PipVersion): boolean {
  return isFrom(version, 2);
}

const reportSchema = z.object({
  install: z.array(
    z.object({
      metadata: z.object({ name: z.string(), version: z.string() }),
      download_info: z.object({
        url: z.string().optional(),
        archive_info: z.object({ hashes: z.record(z.string(), z.string()).optional() }).optional(),
      }),
    }),
  ),
});

interface Reported extends ResolvedPackage {
  readonly hash: string | null;
}

async function readReport(file: string): Promise<readonly Reported[] | null> {
  const read = reportSchema.safeParse(JSON.parse(await readFile(file, 'utf8').catch(() => 'null')));
  if (!read.success) return null;
  return read.data.install.map(({ metadata, download_info: from }) => ({
    name: plainName(metadata.name),
    version: metadata.version,
    hash: from.archive_info?.hashes?.['sha256'] ?? null,
    address: from.url ?? null,
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

/** Normalized as the index compares names. */
export function plainName(name: string): string {
  return name.toLowerCase().replaceAll(/[-_.]+/g, '-');
}

/** Whether a version of Python is in a range such as `>=3.11,<4`. Non-numeric parts count as 0. */
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
