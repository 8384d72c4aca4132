import { build, type BuildOptions, type BuildResult } from 'esbuild';

/**
 * esbuild starts its process during the first build, with the current environment. It must not inherit the host's secrets, so every
 * build goes through here. Returns the files without writing them.
 */
export function runEsbuild(options: Omit<BuildOptions, 'write'>): Promise<BuildResult<{ write: false }>> {
  const { env } = process;
  process.env = {} as NodeJS.ProcessEnv;
  try {
    return build({ ...options, write: false });
  } finally {
    process.env = env;
  }
}
