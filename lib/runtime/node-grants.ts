import { realpathSync } from 'node:fs';
import { dirname, sep } from 'node:path';
import type { Artifact } from './runtime.ts';

/**
 * What a Node process may do, as Node's permission flags, and how a waiting process is cut down to it.
 *
 * What can go wrong: a right that is given up is really gone only under conditions that were tried on Node 26. `net` and
 * folders that were granted one by one can be dropped for good. But a worker thread starts with the rights of the
 * command line and so gives every dropped right back; whether addons are allowed cannot be asked; a wide grant cannot be
 * cut into parts. So a waiting process is never started with `run`, `addons`, `workers` or unlimited files: extensions
 * that have one of these get a process of their own with exact flags, and everything else is asked for after the drop.
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

/** Folders of extensions, each with the texts by which it was granted. */
export type GrantedFolders = ReadonlyMap<string, readonly string[]>;

const NEEDS_OWN_FLAGS = ['run', 'addons', 'workers', 'read', 'write'];

export function needsOwnFlags(permissions: readonly string[]): boolean {
  return permissions.some((permission) => NEEDS_OWN_FLAGS.includes(permission));
}

/** The flags of a process made for one extension. */
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

/** The flags of a waiting process: what is common to all, each of the folders by itself, and the network. */
export function flagsOfSpare(folders: GrantedFolders, context: GrantContext): readonly string[] {
  const each = [...folders.values()].flat();
  return [...readFlags([...commonReads(context), ...each]), ...writeFlags([...textsOf(context.workspaceRoot), ...each]), '--allow-net'];
}

/** What a waiting process must give up before it runs the extension of this folder: by the texts by which it was given. */
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

/** Folders that need a grant of their own: those that do not lie in the workspace, which every extension may read and write. */
export function foldersToGrant(folders: readonly string[], workspaceRoot: string): readonly string[] {
  const roots = textsOf(workspaceRoot);
  return [...new Set(folders)].filter((folder) => !textsOf(folder).every((form) => roots.some((root) => isInside(form, root)))).sort();
}

export function isInside(path: string, root: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : `${root}${sep}`);
}

function commonReads({ childProgram, workspaceRoot, nodeModulesDirs, programDir }: GrantContext): readonly string[] {
  return [dirname(childProgram), programDir, workspaceRoot, ...nodeModulesDirs].flatMap(textsOf);
}

function foldersOf(artifact: Artifact): readonly string[] {
  return [artifact.folder, dirname(artifact.programFile)].flatMap(textsOf);
}

/** Rights are compared by their text, so a path that leads over a symbolic link is granted in both forms. */
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
 * Without what lies inside another, and shorter before longer: Node 26 forgets that a folder itself is granted when a path that
 * begins with its name was granted before it.
 */
function outermost(paths: readonly string[]): readonly string[] {
  const sorted = [...new Set(paths)].sort((a, b) => a.length - b.length);
  return sorted.filter((path, index) => !sorted.slice(0, index).some((root) => isInside(path, root)));
}
