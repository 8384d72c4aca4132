import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';

/** Tests in a folder, or one test file. Paths are absolute and sorted. */
export interface FoundTests {
  readonly node: readonly string[];
  /** Files that import Vitest; skipped. */
  readonly vitest: readonly string[];
  /** Grouped by folder: each group runs on that folder's Python. */
  readonly python: readonly { readonly folder: string; readonly files: readonly string[] }[];
}

const NODE_TEST = /\.test\.[cm]?[jt]s$/;
const PYTHON_TEST = /^test_\w+\.py$/;
const NEVER = new Set(['node_modules', '__pycache__']);
const IMPORTS_VITEST = /\bfrom\s*['"]vitest['"]/;

export async function findTests(place: string): Promise<FoundTests> {
  const files = (await stat(place)).isDirectory() ? await filesBelow(place) : [place];
  const node: string[] = [];
  const vitest: string[] = [];
  for (const file of files.filter((one) => NODE_TEST.test(one)))
    (IMPORTS_VITEST.test(await readFile(file, 'utf8')) ? vitest : node).push(file);
  const python = files.filter((file) => PYTHON_TEST.test(path.basename(file)));
  const byFolder = [...Map.groupBy(python, (file) => path.dirname(file))];
  return { node, vitest, python: byFolder.map(([folder, own]) => ({ folder, files: own })) };
}

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const sorted = entries.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const found = await Promise.all(
    sorted.map(async (entry) => {
      const full = path.join(folder, entry.name);
      if (entry.isDirectory()) return entry.name.startsWith('.') || NEVER.has(entry.name) ? [] : filesBelow(full);
      return entry.isFile() ? [full] : [];
    }),
  );
  return found.flat();
}
