import type { FailureEnvironment } from '#lib/contract/failure-group.ts';
import type { Candidate } from '#lib/loader/build.ts';
import { createPythonInterpreters } from '#lib/runtime/python-interpreter.ts';

export interface FailureEnvironmentOptions {
  /** The setting PYTHON. */
  readonly python: string;
  readonly searchPath: string;
  /** What an extension in this folder sees; only the names are kept. */
  environmentOf(folder: string): Readonly<Record<string, string>>;
  permissionsOf(id: string): readonly string[];
}

const VARIABLES_MOST = 200;

/** What is kept with a failure of where it happened. Never a value of a variable: failures are read by many, and copied into tickets. */
export function createFailureEnvironments(options: FailureEnvironmentOptions): (candidate: Candidate) => Promise<FailureEnvironment> {
  const interpreters = createPythonInterpreters({ python: options.python, searchPath: options.searchPath });

  async function versionFor({ runtime, folder }: Candidate): Promise<string | null> {
    if (runtime === 'node') return process.versions.node;
    if (runtime !== 'python') return null;
    const found = await interpreters.find(folder);
    return found.ok ? found.version : null;
  }

  return async (candidate) => ({
    runtime: candidate.runtime,
    version: await versionFor(candidate),
    variables: Object.keys(options.environmentOf(candidate.folder)).toSorted().slice(0, VARIABLES_MOST),
    permissions: candidate.runtime === 'node' ? [...options.permissionsOf(candidate.id)] : [],
  });
}
