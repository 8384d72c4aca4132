import { randomUUID } from 'node:crypto';
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

/** What is smaller is written in less time than it takes to have somebody else write it. */
const SMALL_CHARACTERS = 131_072;

/** Writes beside and renames; leaves a file alone that holds the same already. */
export async function writeWhole(path: string, text: string): Promise<void> {
  const folder = resolve(path, '..');
  if (text.length < SMALL_CHARACTERS && writeFirst(folder, path, text)) return;
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

/** Into a folder of its own that was not there; false where it was, or cannot be made. */
function writeFirst(folder: string, path: string, text: string): boolean {
  try {
    mkdirSync(folder);
  } catch {
    return false;
  }
  const beside = join(folder, `.${randomUUID()}.tmp`);
  try {
    writeFileSync(beside, text, { flag: 'wx' });
    renameSync(beside, path);
    return true;
  } catch (error) {
    rmSync(beside, { force: true });
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
