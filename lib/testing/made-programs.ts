import { randomUUID } from 'node:crypto';
import { copyFile, link, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

/**
 * The programs of the host's processes are bundled once for each data folder; tests begin hundreds of these, so all of one run
 * share what the first made. They are named by what they are made of, and renamed into place, as the host does it.
 */
const RUN = /^switchboard-tests-/;
const MADE = /^[a-z]+-[0-9a-f]{16}$/;
/** The code of a program while it is written: `code-<version>-<arch>.<process>`. */
const DRAFT = /^code-.*\.\d+$/;

/** The folder of this run of the tests, which goes with it; null where the run has none: then nothing is shared. */
export const folderOfRun = (): string | null => (RUN.test(path.basename(tmpdir())) ? tmpdir() : null);

const shared = (): string | null => {
  const folder = folderOfRun();
  return folder === null ? null : path.join(folder, 'made-programs');
};

/** @param programs `DATA_DIR/programs` of a host that is about to start; made where it is missing */
export async function takeMadePrograms(programs: string): Promise<void> {
  const made = shared();
  if (made !== null) await addMissing(made, programs);
}

/** @param programs of a host that has started */
export async function keepMadePrograms(programs: string): Promise<void> {
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
    // Atomic as well: a host takes a folder that is there for one that has all it needs.
    const beside = here.length > 0 ? into : `${into}.${randomUUID()}`;
    await mkdir(beside, { recursive: true });
    for (const name of missing) await linkOrCopy(path.join(from, folder, name), path.join(beside, name));
    if (beside !== into) await rename(beside, into).catch(() => rm(beside, { recursive: true, force: true }));
  }
}

/** Another test may have done it meanwhile, and a data folder may lie on another disk. */
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
