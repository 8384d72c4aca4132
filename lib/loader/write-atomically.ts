import { randomUUID } from 'node:crypto';
import { mkdir, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

/** Writes to a temporary file and renames it; skips a file that already has the same text. @returns whether it was written */
export async function writeAtomically(path: string, text: string): Promise<boolean> {
  const folder = resolve(path, '..');
  const isNew = await makeFolder(folder);
  if (!isNew && (await readFile(path, 'utf8').catch(() => null)) === text) return false;
  const beside = join(isNew ? folder : await realpath(folder), `.${randomUUID()}.tmp`);
  try {
    await writeFile(beside, text, { flag: 'wx' });
    await rename(beside, path);
    return true;
  } catch (error) {
    await rm(beside, { force: true });
    throw error;
  }
}

/** @returns whether it was created */
async function makeFolder(folder: string): Promise<boolean> {
  try {
    await mkdir(folder);
    return true;
  } catch {
    // It exists, or a folder above it is missing; any other error repeats.
    return (await mkdir(folder, { recursive: true })) !== undefined;
  }
}
