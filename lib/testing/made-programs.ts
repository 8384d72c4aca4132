import { copyFile, link, mkdir, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

/**
 * The programs of the host's processes are bundled once for each data folder; tests begin hundreds of these, so all of one run
 * share what the first made. They are named by what they are made of, and put in place whole, as the host does it.
 */
const RUN = /^switchboard-tests-/;

/** Where the run has no folder of its own, which goes with it, each host makes its own. */
const shared = (): string | null => (RUN.test(path.basename(tmpdir())) ? path.join(tmpdir(), 'made-programs') : null);

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
  const [there, here] = await Promise.all([names(from), names(to)]);
  const missing = there.filter((name) => name.endsWith('.mjs') && !here.includes(name));
  if (missing.length === 0) return;
  await mkdir(to, { recursive: true });
  for (const name of missing) await linkOrCopy(path.join(from, name), path.join(to, name));
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
