import { join } from 'node:path';

/** Where the code is kept that V8 made of the program in this folder: what one version made is of no use to another. */
export function codeFileIn(folder: string): string {
  return join(folder, `code-${process.version}-${process.arch}`);
}

/** Said to a program that is started for its code alone. */
export const KEEP_CODE = 'keep-code';
