import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { satisfies, validRange } from 'semver';
import * as z from 'zod';
import type { RawFailure } from '#lib/runtime/runtime.ts';
import { notAllowed, sourceNotAllowed } from './declaration.ts';
import type { DependencySources, InstalledPackage, ReadDeclaration, ReadFile, Requirement, ResolvedPackage } from './declaration.ts';

/**
 * The dependencies of a TypeScript or JavaScript extension: `package.json` beside its entry, with `package-lock.json` or
 * `npm-shrinkwrap.json` where there is one.
 *
 * What can go wrong: both files come from the extension and reach npm. So only names and version ranges of the index are accepted, and
 * only the dependencies of the manifest are passed to npm, without scripts. If matching versions of all are installed in the folder or
 * above it, as in a workspace, these are used and nothing is installed.
 */
export async function readNodeDeclaration(folder: string, read: ReadFile, sources: DependencySources): Promise<ReadDeclaration> {
  const file = join(folder, 'package.json');
  const source = await read(file);
  if (!source.ok) return { ok: true, declaration: null, missing: [file] };
  const text = new TextDecoder().decode(source.bytes);
  const own = parseManifest(text, file);
  if (!own.ok) return { ok: false, failure: own.failure, missing: [] };
  const { manifest: parsed } = own;
  const declared = { dependencies: parsed.dependencies ?? {}, optionalDependencies: parsed.optionalDependencies ?? {} };
  const lines = text.split('\n');
  const requirements: Requirement[] = [];
  let refusal: RawFailure | null = null;
  const installed: Record<string, Record<string, string>> = { dependencies: {}, optionalDependencies: {} };
  for (const [kind, named] of Object.entries(declared))
    for (const [name, range] of Object.entries(named)) {
      if (range.startsWith('workspace:')) continue;
      requirements.push({ name, text: `${name}@${range}` });
      const line = Math.max(1, lines.findIndex((one) => one.includes(JSON.stringify(name))) + 1);
      const fault = faultOf(name, range, file, line, sources);
      refusal ??= fault;
      installed[kind] = { ...installed[kind], [name]: range };
    }
  const override = sources === 'any' ? null : foreignOverride(parsed.overrides ?? {});
  if (override !== null) refusal ??= sourceNotAllowed(file, 1, override);
  if (requirements.length === 0) return { ok: true, declaration: null, missing: [] };
  const lock = await readLock(folder, read, sources);
  const place = await installedAbove(folder, declared, 'failure' in lock ? null : lock.packages);
  if (place === null && refusal !== null) return { ok: false, failure: refusal, missing: [] };
  if (place === null && 'failure' in lock) return { ok: false, failure: lock.failure, missing: lock.missing };
  const locked = 'failure' in lock ? { text: null, packages: null } : lock;
  const reduced = { private: true, ...installed, ...(parsed.overrides === undefined ? {} : { overrides: parsed.overrides }) };
  const files = {
    'package.json': JSON.stringify(locked.text === null ? reduced : withoutScripts(parsed)),
    ...(locked.text === null ? {} : { 'package-lock.json': locked.text }),
  };
  const declaration = {
    ecosystem: 'node' as const,
    file,
    line: 1,
    requirements,
    requiresPython: null,
    files,
    locked: locked.packages,
    own: place,
  };
  return { ok: true, declaration, missing: lock.missing };
}

const rangesSchema = z.record(z.string(), z.string());
const manifestSchema = z.looseObject({
  dependencies: rangesSchema.optional(),
  optionalDependencies: rangesSchema.optional(),
  overrides: z.record(z.string(), z.unknown()).optional(),
});
type Manifest = z.infer<typeof manifestSchema>;

function parseManifest(
  text: string,
  file: string,
): { readonly ok: true; readonly manifest: Manifest } | { readonly ok: false; readonly failure: RawFailure } {
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { ok: false, failure: { code: 'syntax_error', message: `package.json is not JSON: ${reason}.`, file } };
  }
  const read = manifestSchema.safeParse(value);
  if (read.success) return { ok: true, manifest: read.data };
  const hint = 'Write `dependencies` as an object from names to version ranges, such as {"lodash": "^4.17.0"}.';
  return { ok: false, failure: notAllowed(file, 1, 'The declared dependencies have the wrong form.', hint) };
}

/** The npm rule for names that can be published. */
const NAME = /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/i;
/** Ranges, tags, and a package under another name. */
const RANGE = /^(?:npm:(?:@[\w.~-]+\/)?[\w.~-]+(?:@|$))?[\w\s.*^~<>=|+-]*$/;

function faultOf(name: string, range: string, file: string, line: number, sources: DependencySources): RawFailure | null {
  if (!NAME.test(name) || name.length > 214)
    return notAllowed(
      file,
      line,
      `“${name.slice(0, 120)}” cannot be the name of a package.`,
      'Use the name under which npm lists it, such as `lodash` or `@scope/name`.',
    );
  if (RANGE.test(range) || sources === 'any') return null;
  return sourceNotAllowed(file, line, `${name}: ${range}`);
}

/** The first override that is not a version range, at any depth. */
function foreignOverride(value: unknown): string | null {
  if (typeof value === 'string') return RANGE.test(value) || /^\$[\w@./-]+$/.test(value) ? null : value;
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.values(value).reduce<string | null>((found, one) => found ?? foreignOverride(one), null);
}

/**
 * The nearest folder with one of these packages, if all are installed there or above, in matching and locked versions. An optional one
 * may be missing: npm leaves out those that do not support this system.
 */
async function installedAbove(
  folder: string,
  { dependencies = {}, optionalDependencies = {} }: Pick<Manifest, 'dependencies' | 'optionalDependencies'>,
  locked: readonly InstalledPackage[] | null,
): Promise<string | null> {
  let nearest: string | null = null;
  for (const [name, range] of Object.entries({ ...dependencies, ...optionalDependencies })) {
    if (!NAME.test(name)) return null;
    const found = await findAbove(folder, name);
    if (found === null && name in optionalDependencies) continue;
    if (found === null) return null;
    const isRange = validRange(range) !== null;
    if (isRange && !satisfies(found.version, range, { includePrerelease: true })) return null;
    if (locked !== null && !locked.some((one) => one.name === name && one.version === found.version)) return null;
    if (nearest === null || found.folder.length > nearest.length) nearest = found.folder;
  }
  return nearest;
}

const installedSchema = z.looseObject({ version: z.string() });

async function findAbove(from: string, name: string): Promise<{ readonly folder: string; readonly version: string } | null> {
  for (let folder = from; ; folder = dirname(folder)) {
    const text = await readFile(join(folder, 'node_modules', name, 'package.json'), 'utf8').catch(() => null);
    if (text !== null) {
      try {
        const read = installedSchema.safeParse(JSON.parse(text));
        return read.success ? { folder, version: read.data.version } : null;
      } catch {
        return null;
      }
    }
    if (dirname(folder) === folder) return null;
  }
}

const LOCKS = ['npm-shrinkwrap.json', 'package-lock.json'];
/** One value or a list; `!` excludes a value. */
const systemsSchema = z.union([z.string(), z.array(z.string())]).optional();
const lockSchema = z.looseObject({
  lockfileVersion: z.number(),
  packages: z.record(
    z.string(),
    z.looseObject({
      version: z.string().optional(),
      resolved: z.string().optional(),
      integrity: z.string().optional(),
      link: z.boolean().optional(),
      dev: z.boolean().optional(),
      inBundle: z.boolean().optional(),
      os: systemsSchema,
      cpu: systemsSchema,
      libc: systemsSchema,
    }),
  ),
});
type LockEntry = z.infer<typeof lockSchema>['packages'][string];

type ReadLock =
  | { readonly text: string | null; readonly packages: readonly InstalledPackage[] | null; readonly missing: readonly string[] }
  | { readonly failure: RawFailure; readonly missing: readonly string[] };

async function readLock(folder: string, read: ReadFile, sources: DependencySources): Promise<ReadLock> {
  const missing: string[] = [];
  for (const name of LOCKS) {
    const file = join(folder, name);
    const found = await read(file);
    if (!found.ok) {
      missing.push(file);
      continue;
    }
    const text = new TextDecoder().decode(found.bytes);
    const packages = lockedPackages(text, file, sources);
    return 'code' in packages ? { failure: packages, missing } : { text, packages: packages.list, missing };
  }
  return { text: null, packages: null, missing };
}

/** Each entry must have the hash of a package of an index. */
function lockedPackages(
  text: string,
  file: string,
  sources: DependencySources,
): { readonly list: readonly InstalledPackage[] } | RawFailure {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { code: 'syntax_error', message: 'The lock file is not JSON.', hint: 'Create it again with `npm install`.', file };
  }
  const read = lockSchema.safeParse(value);
  if (!read.success)
    return notAllowed(
      file,
      1,
      'The lock file has no list of packages.',
      'Create it again with npm 7 or newer: `npm install --package-lock-only`.',
    );
  for (const [place, { resolved, integrity, link, inBundle, dev }] of Object.entries(read.data.packages)) {
    if (place === '' || dev === true || sources === 'any') continue;
    const isFromIndex = link !== true && (resolved === undefined || /^https?:\/\//.test(resolved));
    if (!isFromIndex || (integrity === undefined && inBundle !== true))
      return sourceNotAllowed(file, 1, `${nameAt(place)}: ${resolved ?? 'no hash'}`);
  }
  return { list: installedHere(read.data.packages) };
}

function nameAt(place: string): string {
  return place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length);
}

/** The packages that npm installs on this system from its lock file. */
export function packagesOfLock(text: string): readonly ResolvedPackage[] {
  return installedHere(lockSchema.parse(JSON.parse(text)).packages);
}

function installedHere(entries: Readonly<Record<string, LockEntry>>): readonly ResolvedPackage[] {
  return Object.entries(entries).flatMap(([place, entry]) => {
    const { version, dev, resolved = null, os, cpu, libc } = entry;
    if (place === '' || dev === true || version === undefined) return [];
    if (!fits(process.platform, os) || !fits(process.arch, cpu) || !fits(ownLibc(), libc)) return [];
    return [{ name: nameAt(place), version, address: resolved }];
  });
}

function fits(own: string, systems: LockEntry['os']): boolean {
  const named = [systems ?? []].flat();
  const wanted = named.filter((one) => !one.startsWith('!'));
  return !named.includes(`!${own}`) && (wanted.length === 0 || wanted.includes(own));
}

const reportSchema = z.object({ header: z.object({ glibcVersionRuntime: z.string().optional() }) });

function ownLibc(): string {
  if (process.platform !== 'linux') return '';
  const report = reportSchema.safeParse(process.report.getReport());
  return report.data?.header.glibcVersionRuntime === undefined ? 'musl' : 'glibc';
}

/** npm compares the manifest with a lock file, so its dependencies are not changed then. */
function withoutScripts(manifest: Manifest): unknown {
  const { scripts: _scripts, workspaces: _workspaces, ...kept } = manifest;
  return { ...kept, private: true };
}
