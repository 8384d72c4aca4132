import { realpathSync } from 'node:fs';
import path from 'node:path';
import { stat } from 'node:fs/promises';
import { LOADED_MOST } from '#lib/runtime/messages.ts';
import type { LoadedFile } from '#lib/runtime/runtime.ts';
import type { BuildInput, Candidate } from './build.ts';
import { isCode, readFolder } from './folder-items.ts';
import { createSourceReader } from './source-reader.ts';

/**
 * Files that a process loaded at run time, besides the built program. The build does not know them, but they are source of the
 * extension. The untrusted process reports them: only files of the extension count, and only a limited
 * number.
 */
export interface LoadedContent {
  readonly inputs: readonly BuildInput[];
  readonly sources: Readonly<Record<string, string>>;
  /** Only those of the build when nothing was loaded. */
  readonly contentHash: string;
}

export const NOTHING_LOADED: Loaded = { paths: [], builtHash: null };

/** Files loaded by the processes of one source; `builtHash`: the source without them. */
export interface Loaded {
  readonly paths: readonly string[];
  readonly builtHash: string | null;
}

const INSTALLED = new Set(['node_modules', 'site-packages', '.venv']);

/** The extension's own files, by their names in the extensions folder. */
export function ownLoaded(files: readonly LoadedFile[], candidate: Candidate, extensionsDir: string): readonly BuildInput[] {
  const roots = [candidate.folder, extensionsDir].flatMap((folder) => [[folder, folder] as const, ...realOf(folder)]);
  const found = new Map<string, BuildInput>();
  for (const file of files) {
    const root = roots.find(([place]) => file.path.startsWith(place + path.sep));
    if (root === undefined) continue;
    const below = path.normalize(file.path.slice(root[0].length + 1));
    if (below.startsWith('..') || below.split(path.sep).some((name) => INSTALLED.has(name))) continue;
    const known = path.join(root[1], below);
    if (found.size < LOADED_MOST) found.set(known, { ...file, path: known });
  }
  return [...found.values()];
}

/** Reads their current text. `facts`: metadata from when a process read them, so that a later save is noticed. */
export async function readLoaded(
  paths: readonly string[],
  builtHash: string,
  { folder, extensionsDir }: { readonly folder: string; readonly extensionsDir: string },
  facts: readonly BuildInput[] = [],
): Promise<LoadedContent> {
  if (paths.length === 0) return { inputs: [], sources: {}, contentHash: builtHash };
  const reader = createSourceReader(extensionsDir, '');
  await Promise.all(paths.map((file) => reader.read(file)));
  const folders = [...new Set(paths.map((file) => path.dirname(file)))].filter((one) => one !== folder && one !== extensionsDir).toSorted();
  const listed = await Promise.all(folders.map(async (one) => ({ facts: await readFileFacts(one), names: await codeIn(one) })));
  const known = new Map(facts.map((file) => [file.path, file]));
  return {
    inputs: [
      ...reader.inputs().map((input) => known.get(input.path) ?? input),
      ...listed.flatMap(({ facts: found }) => (found === null ? [] : [found])),
    ],
    sources: reader.sources(),
    contentHash: reader.hash(JSON.stringify(['loaded', builtHash, listed.map(({ names }) => names)])),
  };
}

/** Code that computes a path at run time often loads all files of a folder. */
async function codeIn(folder: string): Promise<readonly string[]> {
  const items = await readFolder(folder).catch(() => []);
  return items
    .filter(({ name, type }) => type === 'file' && isCode(name) && !name.startsWith('.'))
    .map(({ name }) => name)
    .toSorted();
}

function realOf(folder: string): readonly (readonly [string, string])[] {
  try {
    const real = realpathSync(folder);
    return real === folder ? [] : [[real, folder]];
  } catch {
    return [];
  }
}

/**
 * Checks from metadata whether files are still the inputs of a build. Times are in nanoseconds and include the change
 * time, which every write updates, so two saves of equal length in one clock tick still differ.
 */
export async function readFileFacts(file: string): Promise<BuildInput | null> {
  try {
    // Most of them are expected to be missing; throwing an error would cost as much as the check.
    const facts = await stat(file, { bigint: true, throwIfNoEntry: false });
    if (facts === undefined) return null;
    return { path: file, size: Number(facts.size), mtimeNs: String(facts.mtimeNs), ctimeNs: String(facts.ctimeNs), ino: String(facts.ino) };
  } catch {
    return null;
  }
}

function isSame(a: BuildInput, b: BuildInput | null): boolean {
  return b !== null && a.size === b.size && a.mtimeNs === b.mtimeNs && a.ctimeNs === b.ctimeNs && a.ino === b.ino;
}

/** Paths of changed files. */
export async function changedInputs(inputs: readonly BuildInput[], factsOf = readFileFacts): Promise<readonly string[]> {
  const now = await Promise.all(inputs.map((input) => factsOf(input.path)));
  return inputs.filter((input, index) => !isSame(input, now[index] ?? null)).map((input) => input.path);
}

export async function existing(paths: readonly string[], factsOf = readFileFacts): Promise<readonly string[]> {
  const facts = await Promise.all(paths.map((file) => factsOf(file)));
  return paths.filter((_, index) => facts[index] !== null);
}
