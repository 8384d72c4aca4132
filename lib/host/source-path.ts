import { lstat, realpath } from 'node:fs/promises';
import path from 'node:path';
import type { Result } from '#lib/contract/result.ts';
import { ok, refuse } from '#lib/contract/result.ts';

/**
 * Ways out of the extensions folder, and how each is blocked: `..`, absolute paths, backslashes and NUL are refused by
 * their text; symbolic links, in the file's path at any level, are refused when found. Files that begin with a dot
 * (`.env` contains secrets) and third-party folders (`node_modules`, `__pycache__`) are treated as missing.
 */
export interface SourcePlace {
  readonly absolute: string;
  readonly exists: boolean;
}

const LENGTH_MOST = 400;
const NAME_MOST = 200;
const FOREIGN = new Set(['node_modules', '__pycache__']);
// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const UNWRITABLE = /[\u0000-\u001f\u007f\\]/;

export function isHidden(name: string): boolean {
  return name.startsWith('.') || FOREIGN.has(name);
}

/** @param extensionsDir absolute; may itself be a symbolic link */
export async function findSource(extensionsDir: string, given: string): Promise<Result<SourcePlace>> {
  const segments = given.split('/');
  const fault = faultOf(given, segments);
  if (fault !== null)
    return refuse(
      'source_path_invalid',
      `“${given.slice(0, 100)}” is not a valid source path: ${fault}. Write names separated by “/”, relative to the extensions folder, such as weather/extension.ts.`,
    );
  let folder = await realpath(extensionsDir);
  for (const name of segments.slice(0, -1)) {
    folder = path.join(folder, name);
    const found = await lstat(folder).catch(() => null);
    if (found === null) return ok({ absolute: path.join(await realpath(extensionsDir), ...segments), exists: false });
    if (!found.isDirectory()) return refuseLink(given);
  }
  const absolute = path.join(folder, segments.at(-1) ?? '');
  const found = await lstat(absolute).catch(() => null);
  if (found !== null && !found.isFile()) return refuseLink(given);
  return ok({ absolute, exists: found !== null });
}

function faultOf(given: string, segments: readonly string[]): string | null {
  if (given === '') return 'it is empty';
  if (given.length > LENGTH_MOST) return `it has more than ${LENGTH_MOST} characters`;
  if (given.includes('\\')) return 'it has a backslash';
  if (UNWRITABLE.test(given)) return 'it has a control character';
  if (given.startsWith('/')) return 'it is absolute';
  for (const name of segments) {
    if (name === '') return 'a name in it is empty';
    if (name === '..') return '“..” leads out of a folder';
    if (name.trim() !== name) return `the name “${name.slice(0, 100)}” begins or ends with a blank`;
    if (name.length > NAME_MOST) return `a name in it has more than ${NAME_MOST} characters`;
    if (name.startsWith('.')) return `the name “${name}” begins with a dot, so it is hidden`;
    if (isHidden(name)) return `files in ${name} are not extension source`;
  }
  return null;
}

function refuseLink(given: string): Result<never> {
  return refuse(
    'source_path_invalid',
    `“${given.slice(0, 100)}” contains something other than a plain file or folder. Links are not followed; edit the target instead.`,
  );
}
