import { constants } from 'node:fs';
import { open, realpath, stat } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { ToolError } from 'switchboard';

/**
 * The working directory with all symbolic links resolved, or a ToolError. Real paths are compared by segments, so `..`, absolute
 * paths, a sibling named `<root>2` and links that lead out are rejected.
 *
 * What can go wrong: a folder in the path is replaced by a link between this check and the start. On Linux the folder is opened,
 * checked again, and the program starts in the opened folder. Elsewhere it starts by the resolved path, and follows such a link.
 */
export interface WorkingDirectory {
  /** The path to start in; valid until `close`. */
  readonly path: string;
  readonly shown: string;
  close(): Promise<void>;
}

export async function findWorkingDirectory(workspaceRoot: string, cwd: string): Promise<WorkingDirectory> {
  if (cwd.includes('\0')) throw refuse('`cwd` holds a NUL character. Give the path of a folder.');
  const root = await realpath(workspaceRoot);
  const asked = path.resolve(root, cwd);
  // If the workspace path is a link, both paths are accepted.
  const given = isInside(workspaceRoot, asked) ? path.join(root, path.relative(workspaceRoot, asked)) : asked;
  if (!isInside(root, given)) throw refuse(`\`cwd\` is ${cwd}, which is outside the workspace. Give a folder inside ${root}.`);

  const resolved = await resolveFolder(given, cwd);
  if (!isInside(root, resolved)) throw refuse(`\`cwd\` is ${cwd}, a link that leads out of the workspace. Give a folder inside ${root}.`);
  const shown = path.relative(root, resolved) || '.';
  if (process.platform !== 'linux') return { path: resolved, shown, close: async () => undefined };
  const handle = await openFolder(resolved, cwd);
  return { path: `/proc/self/fd/${handle.fd}`, shown, close: () => handle.close() };
}

/** Opens the folder without read permission. */
const O_PATH = 0x20_0000;

async function openFolder(resolved: string, cwd: string): Promise<FileHandle> {
  let handle: FileHandle | null = null;
  try {
    handle = await open(resolved, O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW);
    const [opened, named, real] = await Promise.all([handle.stat(), stat(resolved), realpath(resolved)]);
    if (real === resolved && opened.ino === named.ino && opened.dev === named.dev) return handle;
  } catch {
    // the folder was replaced after the check
  }
  await handle?.close();
  throw refuse(`\`cwd\` is ${cwd}, which changed during the check. Give a folder in the workspace, and call again.`);
}

async function resolveFolder(given: string, cwd: string): Promise<string> {
  let resolved: string;
  try {
    resolved = await realpath(given);
    if ((await stat(resolved)).isDirectory()) return resolved;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    if (code === 'ENOENT') throw refuse(`\`cwd\` is ${cwd}, and there is no such folder in the workspace.`);
    if (code === 'ELOOP') throw refuse(`\`cwd\` is ${cwd}, whose links form a cycle. Give a folder.`);
    if (code === 'ERR_ACCESS_DENIED') throw refuse(`\`cwd\` is ${cwd}, which is outside the workspace. Give a folder inside it.`);
    if (code !== 'ENOTDIR') throw error;
  }
  throw refuse(`\`cwd\` is ${cwd}, which is a file or inside of one. Give a folder.`);
}

function isInside(root: string, candidate: string): boolean {
  const way = path.relative(root, candidate);
  return way === '' || (way !== '..' && !way.startsWith(`..${path.sep}`) && !path.isAbsolute(way));
}

function refuse(message: string): ToolError {
  return new ToolError(message, { kind: 'invalid_parameters' });
}
