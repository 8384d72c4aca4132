import type { Candidate } from '#lib/loader/build.ts';
import type { LoaderOptions } from '#lib/loader/loader-state.ts';
import { createPythonInterpreters } from '#lib/runtime/python-interpreter.ts';
import { createPackageVersions } from './package-versions.ts';

export interface FailureEnvironmentOptions {
  /** The setting PYTHON. */
  readonly python: string;
  /** What all extensions see of the environment. */
  readonly common: Readonly<Record<string, string>>;
  /** What an extension in this folder sees; only the names are kept. */
  environmentOf(folder: string): Readonly<Record<string, string>>;
  permissionsOf(id: string): readonly string[];
}

const VARIABLES_MOST = 200;

/** What is kept with a failure of where it happened. Never a value of a variable: failures are read by many, and copied into tickets. */
export function createFailureEnvironments(options: FailureEnvironmentOptions): Pick<LoaderOptions, 'environmentOf' | 'packagesOf'> {
  const interpreters = createPythonInterpreters({ python: options.python, environment: options.common });
  const packagesOf = createPackageVersions(interpreters);

  async function versionFor({ runtime, folder }: Candidate): Promise<string | null> {
    if (runtime === 'node') return process.versions.node;
    if (runtime !== 'python') return null;
    const found = await interpreters.find(folder);
    return found.ok ? found.version : null;
  }

  return {
    packagesOf,
    environmentOf: async (candidate, uses) => ({
      runtime: candidate.runtime,
      version: await versionFor(candidate),
      variables: Object.keys(options.environmentOf(candidate.folder)).toSorted().slice(0, VARIABLES_MOST),
      permissions: candidate.runtime === 'node' ? [...options.permissionsOf(candidate.id)] : [],
      ...(uses === null ? {} : { packages: { ...(await packagesOf(candidate, uses)) } }),
    }),
  };
}
