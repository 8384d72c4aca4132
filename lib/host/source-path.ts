import { lstat, realpath } from 'node:fs/promises';
import path from 'node:path';
import type { Result } from '#lib/contract/result.ts';
import { ok, refuse } from '#lib/contract/result.ts';

/**
 * Ways out of the extensions folder, and how each is shut: `..`, absolute paths, backslashes and NUL are refused as they are
 * written; symbolic links, of the file and of every folder above it, are refused as they are found. What begins with a dot
 * (`.env` holds secrets) and what others own (`node_modules`, `__pycache__`) does not exist here.
 */
export interface SourcePlace {
  readonly absolute: string;
  readonly exists: boolean;
}

const LENGTH_MOST = 400;
const FOREIGN = new Set(['node_modules', '__pycache__']);
// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const UNWRITABLE = /[\u0000-\u001f\u007f\\]/;

export function isHidden(name: string): boolean {
  return name.startsWith('.') || FOREIGN.has(name);
}

/** @param extensionsDir absolute; may itself be a symbolic link */
export async function findSource(extensionsDir: string, given: string): Promise<Result<SourcePlace>> {
  const segments = given.split('/');
  const isPlain =
    given.length <= LENGTH_MOST &&
    !UNWRITABLE.test(given) &&
    segments.every((name) => name !== '' && name.trim() === name && name.length <= 200 && !isHidden(name));
  if (!isPlain)
    return refuse(
      'source_path_invalid',
      `“${given.slice(0, 100)}” is not a path of a source: names separated by “/”, relative to the extensions folder, none of which begins with a dot or is node_modules or __pycache__.`,
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

function refuseLink(given: string): Result<never> {
  return refuse(
    'source_path_invalid',
    `“${given.slice(0, 100)}” leads over something that is no plain file or folder. Links are not followed here; edit the file where it lies.`,
  );
}
