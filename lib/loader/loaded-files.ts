import { realpathSync } from 'node:fs';
import path from 'node:path';
import { LOADED_MOST } from '#lib/runtime/messages.ts';
import type { LoadedFile } from '#lib/runtime/runtime.ts';
import type { BuildInput, Candidate } from './build.ts';
import { readFileFacts } from './file-facts.ts';
import { isCode, readFolder } from './folder-items.ts';
import { createSourceReader } from './source-reader.ts';

/**
 * Files that a process loaded at run time, besides the built program. No build knows them, but they are source of the
 * extension. The process, which is not trusted, reports them: only files of the extension count, and only a limited
 * number.
 */
export interface LoadedContent {
  readonly inputs: readonly BuildInput[];
  readonly sources: Readonly<Record<string, string>>;
  /** Of the build only when nothing was loaded. */
  readonly contentHash: string;
}

export const NOTHING_LOADED: Loaded = { paths: [], builtHash: null };

/** Files loaded by the processes of one source; `builtHash`: the source without them. */
export interface Loaded {
  readonly paths: readonly string[];
  readonly builtHash: string | null;
}

const INSTALLED = new Set(['node_modules', 'site-packages', '.venv']);

/** The extension's own ones, with their names in the extensions folder. */
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
