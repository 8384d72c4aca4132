import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, rename } from 'node:fs/promises';
import path from 'node:path';
import { openStore } from '#lib/store/open-store.ts';
import { folderOfRun } from './shared-programs.ts';

/** A new SQLite file with all tables; copying them is faster than creating them. An existing file stays unchanged. */
export async function copyDatabaseTemplate(file: string): Promise<void> {
  const folder = folderOfRun();
  if (folder === null || existsSync(file)) return;
  const made = path.join(folder, 'database-template.db');
  if (!existsSync(made)) await makeDatabase(made);
  await mkdir(path.dirname(file), { recursive: true });
  await copyFile(made, file);
}

async function makeDatabase(made: string): Promise<void> {
  const draft = `${made}.${randomUUID()}`;
  const opened = await openStore({ file: draft });
  if (!opened.ok) throw new Error(opened.reason);
  await opened.store.close();
  // Another test may have written the same file meanwhile.
  await rename(draft, made);
}
