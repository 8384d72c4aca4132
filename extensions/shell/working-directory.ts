import { constants } from 'node:fs';
import { open, realpath, stat } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { ToolError } from 'switchboard';

/**
 * The folder to run in, with every symbolic link resolved, or a ToolError. Compared are real paths by their parts: `..`,
 * absolute paths, a neighbour named `<root>2` and links that lead out are all outside.
 *
 * What can go wrong: a folder on the way is exchanged for a link between this check and the start. So on Linux the folder is
 * opened, looked at once more, and the program is started in what was opened, wherever its name leads by then. Elsewhere it is
 * started by the resolved path, and such a link is followed.
 */
export interface WorkingDirectory {
  /** To start in; good until `close`. */
  readonly path: string;
  readonly shown: string;
  close(): Promise<void>;
}

export async function findWorkingDirectory(workspaceRoot: string, cwd: string): Promise<WorkingDirectory> {
  if (cwd.includes('\0')) throw refuse('`cwd` holds a NUL character. Give the path of a folder.');
  const root = await realpath(workspaceRoot);
  const asked = path.resolve(root, cwd);
  // A workspace that is itself reached through a link may be named by either of its paths.
  const given = isInside(workspaceRoot, asked) ? path.join(root, path.relative(workspaceRoot, asked)) : asked;
  if (!isInside(root, given)) throw refuse(`\`cwd\` is ${cwd}, which is outside the workspace. Give a folder inside ${root}.`);

  const resolved = await resolveFolder(given, cwd);
  if (!isInside(root, resolved)) throw refuse(`\`cwd\` is ${cwd}, a link that leads out of the workspace. Give a folder inside ${root}.`);
  const shown = path.relative(root, resolved) || '.';
  if (process.platform !== 'linux') return { path: resolved, shown, close: async () => undefined };
  const handle = await openFolder(resolved, cwd);
  return { path: `/proc/self/fd/${handle.fd}`, shown, close: () => handle.close() };
}

/** Opens nothing but the place itself, for which no right to read it is needed. */
const O_PATH = 0x20_0000;

async function openFolder(resolved: string, cwd: string): Promise<FileHandle> {
  let handle: FileHandle | null = null;
  try {
    handle = await open(resolved, O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW);
    const [opened, named, real] = await Promise.all([handle.stat(), stat(resolved), realpath(resolved)]);
    if (real === resolved && opened.ino === named.ino && opened.dev === named.dev) return handle;
  } catch {
    // what is there now is not what was looked at
  }
  await handle?.close();
  throw refuse(`\`cwd\` is ${cwd}, which was changed in this moment. Give a folder in the workspace, and call again.`);
}

async function resolveFolder(given: string, cwd: string): Promise<string> {
  let resolved: string;
  try {
    resolved = await realpath(given);
    if ((await stat(resolved)).isDirectory()) return resolved;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    if (code === 'ENOENT') throw refuse(`\`cwd\` is ${cwd}, and there is no such folder in the workspace.`);
    if (code === 'ELOOP') throw refuse(`\`cwd\` is ${cwd}, whose links go round in a circle. Give a folder.`);
    if (code === 'ERR_ACCESS_DENIED') throw refuse(`\`cwd\` is ${cwd}, which is outside the workspace. Give a folder inside it.`);
    if (code !== 'ENOTDIR') throw error;
  }
  throw refuse(`\`cwd\` is ${cwd}, which is a file or lies below one. Give a folder.`);
}

function isInside(root: string, candidate: string): boolean {
  const way = path.relative(root, candidate);
  return way === '' || (way !== '..' && !way.startsWith(`..${path.sep}`) && !path.isAbsolute(way));
}

function refuse(message: string): ToolError {
  return new ToolError(message, { kind: 'invalid_parameters' });
}
