import { randomUUID } from 'node:crypto';
import { mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';

/**
 * Writes files so that readers never see half of one, or only some of several for long. What can go wrong: the disk is
 * full or a folder is read-only. All texts are on disk before the first rename, and when one rename fails, the earlier
 * ones are undone.
 */
export interface SourceStep {
  readonly absolute: string;
  /** Null: it is removed. */
  readonly after: Buffer | null;
}

export async function writeBeside(absolute: string, bytes: Buffer): Promise<void> {
  const beside = await prepare(absolute, bytes);
  try {
    await rename(beside, absolute);
  } catch (error) {
    await rm(beside, { force: true });
    throw error;
  }
}

/** All or none. */
export async function applySteps(steps: readonly SourceStep[]): Promise<void> {
  const prepared: { readonly step: SourceStep; readonly beside: string | null; readonly before: Buffer | null }[] = [];
  let done = 0;
  try {
    for (const step of steps) {
      const before = await readFile(step.absolute).catch(() => null);
      const beside = step.after === null ? null : await prepare(step.absolute, step.after);
      prepared.push({ step, beside, before });
    }
    for (const { step, beside } of prepared) {
      if (beside === null) await rm(step.absolute);
      else await rename(beside, step.absolute);
      done += 1;
    }
  } catch (error) {
    for (const { step, before } of prepared.slice(0, done)) {
      if (before === null) await rm(step.absolute, { force: true });
      else await writeBeside(step.absolute, before);
    }
    for (const { beside } of prepared.slice(done)) if (beside !== null) await rm(beside, { force: true });
    throw error;
  }
}

/** @returns the name of the temporary file beside it */
async function prepare(absolute: string, bytes: Buffer): Promise<string> {
  await mkdir(path.dirname(absolute), { recursive: true });
  const beside = path.join(path.dirname(absolute), `.${randomUUID()}.tmp`);
  const mode = (await stat(absolute).catch(() => null))?.mode;
  try {
    const handle = await open(beside, 'wx', mode ?? 0o644);
    try {
      await handle.writeFile(bytes);
      await handle.sync();
    } finally {
      await handle.close();
    }
    return beside;
  } catch (error) {
    await rm(beside, { force: true });
    throw error;
  }
}
