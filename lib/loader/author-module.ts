import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { runEsbuild } from '#lib/runtime/run-esbuild.ts';
import { writeAtomically } from './write-atomically.ts';

/**
 * Writes the module behind the import `switchboard` beside the artifacts, as one file, and returns its path. An
 * extension's process may read that folder but not the host's own code. Stored revisions refer to the file, so it is
 * named by its hash and stays.
 */
export async function writeAuthorModule(source: string, artifactsDir: string): Promise<string> {
  const result = await runEsbuild({
    entryPoints: [source],
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node26',
    logLevel: 'silent',
  });
  const text = result.outputFiles[0]?.text;
  if (text === undefined) throw new Error('esbuild wrote no module for extension authors');
  const file = join(artifactsDir, `switchboard-${createHash('sha256').update(text).digest('hex').slice(0, 16)}.mjs`);
  await writeAtomically(file, text);
  return file;
}
