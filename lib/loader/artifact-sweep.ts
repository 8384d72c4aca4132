import { readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { readBuildRecord } from './build-record.ts';
import type { Store } from '#lib/store/store.ts';

const HASH = /^[0-9a-f]{64}$/;
/** A built program may not be recorded yet; younger ones are left alone. */
const YOUNGEST_MS = 600_000;

/** Several sources of an extension that loads files at run time can share one program. */
function programFolderOf(build: string | null): readonly string[] {
  const record = readBuildRecord(build);
  return record === null ? [] : [path.basename(path.dirname(record.programFile))];
}

/** Names of the environments of revisions that run, or could be rolled back to. */
export async function environmentsInUse(store: Pick<Store, 'revisions' | 'extensions'>): Promise<ReadonlySet<string>> {
  const used = new Set<string>();
  for (const { extension } of await store.extensions.all())
    for (const { runnable, build } of await store.revisions.list(extension)) {
      const folder = runnable ? readBuildRecord(build)?.environment : null;
      if (folder != null) used.add(path.basename(folder));
    }
  return used;
}

/**
 * Removes the programs of revisions that are no longer stored; programs in use or available for a rollback stay.
 * @returns the number removed
 */
export async function sweepArtifacts(
  artifactsDir: string,
  store: Pick<Store, 'revisions' | 'extensions'>,
  now = Date.now(),
): Promise<number> {
  const entries = await readdir(artifactsDir, { withFileTypes: true }).catch(() => []);
  const folders = entries
    .filter((entry) => entry.isDirectory() && HASH.test(entry.name))
    .map((entry) => path.join(artifactsDir, entry.name));
  const ages = await Promise.all(folders.map(async (folder) => now - (await stat(folder)).mtimeMs));
  const kept = new Set<string>();
  for (const { extension } of await store.extensions.all())
    for (const row of await store.revisions.list(extension))
      if (row.runnable) for (const folder of [row.contentHash, ...programFolderOf(row.build)]) kept.add(folder);
  const gone = folders.filter((folder, index) => (ages[index] ?? 0) > YOUNGEST_MS && !kept.has(path.basename(folder)));
  await Promise.all(gone.map((folder) => rm(folder, { recursive: true, force: true })));
  return gone.length;
}
