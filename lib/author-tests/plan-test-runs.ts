import path from 'node:path';
import { createPythonInterpreters } from '#lib/runtime/python-interpreter.ts';
import type { FoundTests } from './find-tests.ts';

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
