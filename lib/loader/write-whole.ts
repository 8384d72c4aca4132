import { randomUUID } from 'node:crypto';
import { mkdir, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

/** Writes beside and renames; leaves a file alone that holds the same already. */
export async function writeWhole(path: string, text: string): Promise<void> {
  const folder = resolve(path, '..');
  const isNew = await makeFolder(folder);
  if (!isNew && (await readFile(path, 'utf8').catch(() => null)) === text) return;
  const beside = join(isNew ? folder : await realpath(folder), `.${randomUUID()}.tmp`);
  try {
    await writeFile(beside, text, { flag: 'wx' });
    await rename(beside, path);
  } catch (error) {
    await rm(beside, { force: true });
    throw error;
  }
}

/** @returns whether it was made */
async function makeFolder(folder: string): Promise<boolean> {
  try {
    await mkdir(folder);
    return true;
  } catch {
    // It is there, or something above it is not; any other refusal comes again.
    return (await mkdir(folder, { recursive: true })) !== undefined;
  }
}
