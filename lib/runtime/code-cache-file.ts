import { join } from 'node:path';

/** Where V8's code cache of the program in this folder is stored, per version of Node. */
export function codeCacheFileIn(folder: string): string {
  return join(folder, `code-${process.version}-${process.arch}`);
}

/** Argument of a program that is started only to write its code cache. */
export const WRITE_CODE_CACHE = 'write-code-cache';
