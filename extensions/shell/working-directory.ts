import { realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { ToolError } from 'switchboard';

/**
 * The folder to run in, with every symbolic link resolved, or a ToolError. Compared are real paths by their parts: `..`,
 * absolute paths, a neighbour named `<root>2` and links that lead out are all outside. The program is started in the
 * *resolved* path, so a link that is changed between this check and the start has no effect any more.
 */
export async function findWorkingDirectory(workspaceRoot: string, cwd: string): Promise<{ path: string; shown: string }> {
  if (cwd.includes('\0')) throw refuse('`cwd` holds a NUL character. Give the path of a folder.');
  const root = await realpath(workspaceRoot);
  const asked = path.resolve(root, cwd);
  // A workspace that is itself reached through a link may be named by either of its paths.
  const given = isInside(workspaceRoot, asked) ? path.join(root, path.relative(workspaceRoot, asked)) : asked;
  if (!isInside(root, given)) throw refuse(`\`cwd\` is ${cwd}, which is outside the workspace. Give a folder inside ${root}.`);

  const resolved = await resolveFolder(given, cwd);
  if (!isInside(root, resolved)) throw refuse(`\`cwd\` is ${cwd}, a link that leads out of the workspace. Give a folder inside ${root}.`);
  return { path: resolved, shown: path.relative(root, resolved) || '.' };
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
