import { build } from 'esbuild';
import type { BuildOptions, BuildResult } from 'esbuild';

/**
 * esbuild starts its process inside of the first build, with the environment that is there at this moment. It needs none of it,
 * and must not inherit the secrets of the host, so every build goes through here. The files are given back, not written.
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
