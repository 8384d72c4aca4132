import path from 'node:path';
import { readdir, readFile, stat } from 'node:fs/promises';
import { createPythonInterpreters } from '#lib/runtime/python-interpreter.ts';

/** One test program and its files. */
export type TestRun =
  | {
      readonly ok: true;
      readonly of: 'node' | 'python';
      readonly where: string;
      readonly program: string;
      readonly args: readonly string[];
    }
  | { readonly ok: false; readonly where: string; readonly reason: string };

export interface TestRunOptions {
  /** PYTHON, and the environment to resolve and run it. */
  readonly python: string;
  readonly environment: Readonly<Record<string, string>>;
  /** The requested folder or file, absolute. */
  readonly place: string;
}

const HOOKS = path.join(import.meta.dirname, 'resolve-author-modules.ts');
const PYTHON_PROGRAM = path.join(import.meta.dirname, 'run_python_tests.py');
const PYTHON_MODULES = path.resolve(import.meta.dirname, '../runtime/children/python');

/** One `node --test` run on the current Node, and one unittest run per folder on its Python. */
export async function planTestRuns(found: FoundTests, { python, environment, place }: TestRunOptions): Promise<readonly TestRun[]> {
  const runs: TestRun[] = [];
  if (found.node.length > 0) {
    const args = ['--import', HOOKS, '--test', '--test-reporter=spec', ...found.node];
    runs.push({ ok: true, of: 'node', where: place, program: process.execPath, args });
  }
  const interpreters = createPythonInterpreters({ python, environment });
  for (const { folder, files } of found.python) {
    const interpreter = await interpreters.find(folder);
    if (!interpreter.ok) {
      const { message, hint = '' } = interpreter.failure;
      runs.push({ ok: false, where: folder, reason: `${message} ${hint}`.trim() });
      continue;
    }
    const stems = files.map((file) => path.basename(file, '.py'));
    const args = ['-I', '-B', '-X', 'utf8', PYTHON_PROGRAM, PYTHON_MODULES, folder, ...stems];
    runs.push({ ok: true, of: 'python', where: folder, program: interpreter.program, args });
  }
  return runs;
}

/** Tests in a folder, or one test file. Paths are absolute and sorted. */
interface FoundTests {
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
