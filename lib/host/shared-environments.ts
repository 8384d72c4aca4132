import { accessSync, constants } from 'node:fs';
import path from 'node:path';
import { makeFolder } from '#lib/store/make-folder.ts';

/** Folder of build caches, beside the program. */
const CACHE = path.resolve(import.meta.dirname, '../../.cache');

/**
 * Where a host on a temporary data folder finds installed dependencies: with the server of this folder, else cached for the next
 * such host. Undefined if neither can be written: then they are installed per host.
 */
export function sharedEnvironments(env: Readonly<Record<string, string | undefined>>, cwd: string): string | undefined {
  const ofServer = path.resolve(cwd, env['DATA_DIR'] || 'data', 'environments');
  return isWritable(ofServer) ? ofServer : cacheFolder('environments');
}

/** Undefined if it is not writable. */
export function cacheFolder(name: string): string | undefined {
  const folder = path.join(CACHE, name);
  try {
    makeFolder(folder);
    return isWritable(folder) ? folder : undefined;
  } catch {
    return undefined;
  }
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
