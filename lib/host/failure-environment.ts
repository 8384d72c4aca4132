import type { Candidate, PackagesOf } from '#lib/loader/build.ts';
import type { LoaderOptions } from '#lib/loader/loader-state.ts';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import type { PythonInterpreters } from '#lib/runtime/python-interpreter.ts';

export interface FailureEnvironmentOptions {
  readonly interpreters: PythonInterpreters;
  /** Variables that an extension in this folder sees; only the names are stored. */
  environmentOf(folder: string): Readonly<Record<string, string>>;
  permissionsOf(id: string): readonly string[];
}

const VARIABLES_MOST = 200;

/**
 * The environment stored with a failure. Never the value of a variable: many people read failures, and copy them into
 * tickets.
 */
export function createFailureEnvironments(options: FailureEnvironmentOptions): Pick<LoaderOptions, 'environmentOf' | 'packagesOf'> {
  const { interpreters } = options;
  const packagesOf = createPackageVersions(interpreters);

  async function versionFor({ runtime, folder }: Candidate): Promise<string | null> {
    if (runtime === 'node') return process.versions.node;
    if (runtime !== 'python') return null;
    const found = await interpreters.find(folder);
    return found.ok ? found.version : null;
  }

  return {
    packagesOf,
    environmentOf: async (candidate, uses) => ({
      runtime: candidate.runtime,
      version: await versionFor(candidate),
      variables: Object.keys(options.environmentOf(candidate.folder)).toSorted().slice(0, VARIABLES_MOST),
      permissions: candidate.runtime === 'node' ? [...options.permissionsOf(candidate.id)] : [],
      ...(uses === null ? {} : { packages: { ...(await packagesOf(candidate, uses)) } }),
    }),
  };
}

/**
 * Installed versions of the packages that an extension imports. What can go wrong: a package is missing or has no
 * readable metadata: it is skipped. A Python package may have another name than its module; its list of installed files
 * shows the module.
 */
export function createPackageVersions(interpreters: PythonInterpreters): PackagesOf {
  return async ({ runtime, folder }, uses) => {
    if (uses.length === 0 || runtime === 'mcp') return {};
    if (runtime === 'node') return sorted(await Promise.all(uses.map(readNodePackage)));
    const found = await interpreters.find(folder);
    if (!found.ok) return {};
    const folders = found.path.filter((one) => /^(?:site|dist)-packages$/.test(path.basename(one)));
    return sorted((await Promise.all(folders.map((one) => pythonPackages(one, uses)))).flat());
  };
}

type Installed = readonly [name: string, version: string];

const packageSchema = z.object({ name: z.string(), version: z.string() });
const LISTED_BYTES_MOST = 4_194_304;

async function readNodePackage(folder: string): Promise<Installed | null> {
  const text = await readText(path.join(folder, 'package.json'));
  if (text === null) return null;
  try {
    const read = packageSchema.safeParse(JSON.parse(text));
    return read.success ? [read.data.name, read.data.version] : null;
  } catch {
    return null;
  }
}

/** Packages in one folder of installed modules that contain a module of one of these names. */
async function pythonPackages(folder: string, modules: readonly string[]): Promise<readonly Installed[]> {
  const entries = await readdir(folder).catch(() => []);
  const present = modules.filter((name) =>
    entries.some((entry) => entry === name || (entry.startsWith(`${name}.`) && !entry.endsWith('-info'))),
  );
  if (present.length === 0) return [];
  const infos = entries.filter((entry) => entry.endsWith('.dist-info')).map((entry) => ({ entry, ...nameAndVersion(entry) }));
  const named = infos.filter(({ name }) => present.some((module) => plainName(module) === plainName(name)));
  const others = present.filter((module) => !named.some(({ name }) => plainName(module) === plainName(name)));
  const bringing =
    others.length === 0
      ? []
      : await Promise.all(infos.map(async (info) => ((await containsModule(folder, info.entry, others)) ? [info] : [])));
  return [...named, ...bringing.flat()].map(({ name, version }) => [name, version]);
}

/** From the list of files that the package installed. */
async function containsModule(folder: string, info: string, modules: readonly string[]): Promise<boolean> {
  const text = await readText(path.join(folder, info, 'RECORD'));
  if (text === null || text.length > LISTED_BYTES_MOST) return false;
  return modules.some(
    (name) => text.startsWith(`${name}/`) || text.startsWith(`${name}.py`) || text.includes(`\n${name}/`) || text.includes(`\n${name}.py,`),
  );
}

/** `typing_extensions-4.12.2.dist-info` */
function nameAndVersion(entry: string): { readonly name: string; readonly version: string } {
  const [name = '', version = ''] = entry.slice(0, -'.dist-info'.length).split('-');
  return { name, version };
}

function plainName(name: string): string {
  return name.toLowerCase().replace(/[-_.]+/g, '_');
}

async function readText(file: string): Promise<string | null> {
  return readFile(file, 'utf8').catch(() => null);
}

function sorted(found: readonly (Installed | null)[]): Readonly<Record<string, string>> {
  const installed = found.filter((one) => one !== null);
  return Object.fromEntries(installed.toSorted(([one], [other]) => (one < other ? -1 : 1)));
}
