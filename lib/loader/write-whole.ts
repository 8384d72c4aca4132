import { randomUUID } from 'node:crypto';
import { mkdir, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

/** Writes beside and renames; leaves a file alone that holds the same already. */
export async function writeWhole(path: string, text: string): Promise<void> {
  const folder = resolve(path, '..');
  const before = await readFile(path, 'utf8').catch(() => null);
  if (before === text) return;
  await mkdir(folder, { recursive: true });
  const beside = join(await realpath(folder), `.${randomUUID()}.tmp`);
  try {
    await writeFile(beside, text, { flag: 'wx' });
    await rename(beside, path);
  } catch (error) {
    await rm(beside, { force: true });
    throw error;
  }
}
