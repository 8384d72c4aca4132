import { realpathSync } from 'node:fs';
import { dirname, sep } from 'node:path';
import type { Artifact } from './runtime.ts';

/**
 * Permissions of a Node process as Node's permission flags, and how a prewarmed process drops those its extension lacks.
 *
 * What can go wrong: a dropped permission is really gone only under conditions tested on Node 26. `net` and folders granted one by
 * one can be dropped for good. But a worker thread starts with the flags of the command line and regains every dropped permission;
 * addons cannot be queried; a broad grant cannot be split. So a prewarmed process never starts with `run`, `addons`, `workers` or
 * unlimited files: extensions with one of these get a process with exact flags, and all other permissions are verified after the
 * drop.
 */
export interface GrantContext {
  readonly childProgram: string;
  readonly workspaceRoot: string;
  readonly nodeModulesDirs: readonly string[];
  readonly programDir: string;
}

export interface Cut {
  readonly drops: readonly (readonly [string, string?])[];
  readonly mustNotHave: readonly (readonly [string, string?])[];
}

/** Folders of extensions, each with the paths it was granted by. */
export type GrantedFolders = ReadonlyMap<string, readonly string[]>;

const NEEDS_OWN_FLAGS = ['run', 'addons', 'workers', 'read', 'write'];

export function needsOwnFlags(permissions: readonly string[]): boolean {
  return permissions.some((permission) => NEEDS_OWN_FLAGS.includes(permission));
}

/** The flags of a process started for one extension. */
export function flagsFor(artifact: Artifact, permissions: readonly string[], context: GrantContext): readonly string[] {
  const may = new Set(permissions);
  return [
    ...readFlags(may.has('read') ? ['*'] : [...commonReads(context), ...foldersOf(artifact)]),
    ...writeFlags(may.has('write') ? ['*'] : [...textsOf(context.workspaceRoot), ...textsOf(artifact.folder)]),
    ...(may.has('net') ? ['--allow-net'] : []),
    ...(may.has('run') ? ['--allow-child-process'] : []),
    ...(may.has('addons') ? ['--allow-addons'] : []),
    ...(may.has('workers') ? ['--allow-worker'] : []),
  ];
}

/** The flags of a prewarmed process: the common ones, each folder separately, and the network. */
export function flagsOfPrewarmed(folders: GrantedFolders, context: GrantContext): readonly string[] {
  const each = [...folders.values()].flat();
  return [...readFlags([...commonReads(context), ...each]), ...writeFlags([...textsOf(context.workspaceRoot), ...each]), '--allow-net'];
}

/** The permissions that a prewarmed process must drop before it runs the extension of this folder, as they were granted. */
export function cutFor(own: string, permissions: readonly string[], folders: GrantedFolders): Cut {
  const foreign = [...folders].filter(([folder]) => folder !== own).flatMap(([, texts]) => texts);
  const cut: (readonly [string, string?])[] = foreign.flatMap((folder) => [
    ['fs.read', folder],
    ['fs.write', folder],
  ]);
  if (!permissions.includes('net')) cut.push(['net']);
  const never: (readonly [string, string?])[] = [['child'], ['worker'], ['wasi'], ['inspector'], ['fs.read'], ['fs.write']];
  return { drops: cut, mustNotHave: [...cut, ...never] };
}

/** Folders that need their own grant: those outside the workspace, which every extension may read and write. */
export function foldersToGrant(folders: readonly string[], workspaceRoot: string): readonly string[] {
  const roots = textsOf(workspaceRoot);
  const isCovered = (form: string): boolean => roots.some((root) => isInside(form, root));
  // Only of folders in the workspace: a link may lead out of it.
  return [...new Set(folders)].filter((folder) => !isCovered(folder) || !textsOf(folder).every(isCovered)).sort();
}

export function isInside(path: string, root: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : `${root}${sep}`);
}

/**
 * The first of these folders whose path begins with the one of the workspace, without being inside. Node 26 then grants the files in
 * the workspace, but not the workspace itself, so that extensions cannot list it. Null: none.
 */
export function besideWorkspace(workspaceRoot: string, folders: readonly string[]): string | null {
  const roots = textsOf(workspaceRoot);
  const isBeside = (folder: string): boolean => roots.some((root) => folder.startsWith(root) && !isInside(folder, root));
  return folders.flatMap(textsOf).find(isBeside) ?? null;
}

function commonReads({ childProgram, workspaceRoot, nodeModulesDirs, programDir }: GrantContext): readonly string[] {
  return [dirname(childProgram), programDir, workspaceRoot, ...nodeModulesDirs].flatMap(textsOf);
}

function foldersOf(artifact: Artifact): readonly string[] {
  return [artifact.folder, dirname(artifact.programFile)].flatMap(textsOf);
}

/** Permissions are compared as text, so a path over a symbolic link is granted in both forms. */
export function textsOf(path: string): readonly string[] {
  try {
    const real = realpathSync(path);
    return real === path ? [path] : [path, real];
  } catch {
    return [path];
  }
}

function readFlags(paths: readonly string[]): readonly string[] {
  return outermost(paths).map((path) => `--allow-fs-read=${path}`);
}

function writeFlags(paths: readonly string[]): readonly string[] {
  return outermost(paths).map((path) => `--allow-fs-write=${path}`);
}

/**
 * Without nested folders, and shorter paths first: Node 26 loses the grant of a folder when a path with its name as prefix was
 * granted before.
 */
function outermost(paths: readonly string[]): readonly string[] {
  const kept: string[] = [];
  // With the separator at its end, a folder comes right before all that is inside of it.
  for (const path of [...new Set(paths)].sort((a, b) => compareFolders(a, b))) {
    const root = kept.at(-1);
    if (root === undefined || !isInside(path, root)) kept.push(path);
  }
  return kept.sort((a, b) => a.length - b.length);
}

function compareFolders(a: string, b: string): number {
  const [one, other] = [a + sep, b + sep];
  return one < other ? -1 : one > other ? 1 : 0;
}
