import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import type { BuildOutcome } from '#lib/loader/build.ts';
import { createBuilder } from '#lib/loader/builder.ts';
import './keep-esbuild.ts';

/** A separate folder with a builder; its path has a space and a non-ASCII letter. */
export async function createBuildFolder() {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'builder é ')));
  const builder = createBuilder({
    extensionsDir: join(root, 'extensions'),
    artifactsDir: join(root, 'artifacts'),
    authorModule: join(root, 'author.mjs'),
  });

  async function write(files: Record<string, string | Uint8Array>): Promise<void> {
    for (const [name, content] of Object.entries(files)) {
      await mkdir(dirname(join(root, name)), { recursive: true });
      await writeFile(join(root, name), content);
    }
  }

  await write({ 'author.mjs': 'export class ToolError extends Error {}', 'package.json': '{"sideEffects": false}' });

  return {
    root,
    write,
    async buildExtension(files: Record<string, string | Uint8Array>, entry = 'extension.ts', id = 'one'): Promise<BuildOutcome> {
      await write(Object.fromEntries(Object.entries(files).map(([name, content]) => [`extensions/${id}/${name}`, content])));
      const folder = join(root, 'extensions', id);
      return builder.build({ id, kind: 'tools', runtime: 'node', folder, entryFile: join(folder, entry) });
    },
    async close(): Promise<void> {
      await builder.close();
      await rm(root, { recursive: true });
    },
  };
}

export function built(outcome: BuildOutcome) {
  if (!outcome.ok) throw new Error(JSON.stringify(outcome.failure));
  return outcome;
}

export function failed(outcome: BuildOutcome) {
  if (outcome.ok) throw new Error('The build went through.');
  return outcome;
}

/** Imports the artifact in a separate process, as a child does, and evaluates `expression` with the module as `m`. */
export async function runBuilt(outcome: BuildOutcome, expression: string): Promise<unknown> {
  const program = pathToFileURL(built(outcome).artifact.programFile).href;
  const script = `const m = await import(${JSON.stringify(program)}); console.log(JSON.stringify(await (${expression})))`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--enable-source-maps', '--input-type=module', '-e', script], {
    cwd: tmpdir(),
  });
  return JSON.parse(stdout);
}
