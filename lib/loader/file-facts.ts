import { stat } from 'node:fs/promises';
import type { BuildInput } from './build.ts';

/**
 * Checks from metadata whether files are still the inputs of a build. Times are in nanoseconds and include the change
 * time, which every write updates, so two saves of equal length in one clock tick still differ.
 */
export async function readFileFacts(file: string): Promise<BuildInput | null> {
  try {
    // Most of them are expected to be missing; throwing an error would cost as much as the check.
    const facts = await stat(file, { bigint: true, throwIfNoEntry: false });
    if (facts === undefined) return null;
    return { path: file, size: Number(facts.size), mtimeNs: String(facts.mtimeNs), ctimeNs: String(facts.ctimeNs), ino: String(facts.ino) };
  } catch {
    return null;
  }
}

function isSame(a: BuildInput, b: BuildInput | null): boolean {
  return b !== null && a.size === b.size && a.mtimeNs === b.mtimeNs && a.ctimeNs === b.ctimeNs && a.ino === b.ino;
}

/** Paths of changed files. */
export async function changedInputs(inputs: readonly BuildInput[], factsOf = readFileFacts): Promise<readonly string[]> {
  const now = await Promise.all(inputs.map((input) => factsOf(input.path)));
  return inputs.filter((input, index) => !isSame(input, now[index] ?? null)).map((input) => input.path);
}

export async function existing(paths: readonly string[], factsOf = readFileFacts): Promise<readonly string[]> {
  const facts = await Promise.all(paths.map((file) => factsOf(file)));
  return paths.filter((_, index) => facts[index] !== null);
}
