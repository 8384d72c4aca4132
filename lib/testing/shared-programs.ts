import { randomUUID } from 'node:crypto';
import { copyFile, link, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

/**
 * The host bundles the programs of its processes once per data folder. Tests create hundreds of these, so all of one run share
 * the first bundles. Their names are hashes of their sources, and they are renamed into place, as by the host.
 */
const RUN = /^switchboard-tests-/;
const MADE = /^[a-z]+-[0-9a-f]{16}$/;
/** A compile cache that is being written: `code-<version>-<arch>.<process>`. */
const DRAFT = /^code-.*\.\d+$/;

/** The folder of this test run, removed at its end; null without one: then nothing is shared. */
export const folderOfRun = (): string | null => (RUN.test(path.basename(tmpdir())) ? tmpdir() : null);

const shared = (): string | null => {
  const folder = folderOfRun();
  return folder === null ? null : path.join(folder, 'shared-programs');
};

/** @param programs `DATA_DIR/programs` of a host before its start; created if missing */
export async function copySharedPrograms(programs: string): Promise<void> {
  const made = shared();
  if (made !== null) await addMissing(made, programs);
}

/** @param programs `DATA_DIR/programs` of a started host */
export async function sharePrograms(programs: string): Promise<void> {
  const made = shared();
  if (made !== null) await addMissing(programs, made);
}

async function addMissing(from: string, to: string): Promise<void> {
  for (const folder of await names(from)) {
    if (!MADE.test(folder)) continue;
    const [there, here] = await Promise.all([names(path.join(from, folder)), names(path.join(to, folder))]);
    const missing = there.filter((name) => !DRAFT.test(name) && !here.includes(name));
    if (missing.length === 0) continue;
    const into = path.join(to, folder);
    // Atomic too: a host treats an existing folder as complete.
    const beside = here.length > 0 ? into : `${into}.${randomUUID()}`;
    await mkdir(beside, { recursive: true });
    for (const name of missing) await linkOrCopy(path.join(from, folder, name), path.join(beside, name));
    if (beside !== into) await rename(beside, into).catch(() => rm(beside, { recursive: true, force: true }));
  }
}

/** Another test may have linked it meanwhile, and a data folder may be on another disk. */
async function linkOrCopy(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    if (code === 'EXDEV') await copyFile(from, to);
    else if (code !== 'EEXIST' && code !== 'ENOENT') throw error;
  }
}

async function names(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch {
    return [];
  }
}
