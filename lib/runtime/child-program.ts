import { createHash, randomBytes } from 'node:crypto';
import { mkdir, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/**
 * The program that runs in every Node extension's process, as one file: starting it must pay neither type stripping nor
 * the resolution of forty modules. The file is named by its content, so a host of another version beside this one is
 * never disturbed, and it is put in place by rename, so that nobody sees half of it.
 */
const ENTRY = fileURLToPath(new URL('./children/main.ts', import.meta.url));

/** Absolute path of the bundled program, made where it is missing. */
export async function buildChildProgram(cacheDir: string): Promise<string> {
  const result = await build({
    entryPoints: [ENTRY],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    target: 'node26',
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: 'none',
    logLevel: 'silent',
    banner: { js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);" },
  });
  const contents = result.outputFiles[0]?.contents;
  if (contents === undefined) throw new Error('esbuild wrote no child program');
  const hash = createHash('sha256').update(contents).digest('hex').slice(0, 16);
  const file = join(cacheDir, `child-${hash}.mjs`);
  if (await isFile(file, contents.length)) return file;
  await mkdir(cacheDir, { recursive: true });
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  await writeFile(draft, contents);
  await rename(draft, file);
  return file;
}

async function isFile(path: string, size: number): Promise<boolean> {
  try {
    const found = await stat(path);
    return found.isFile() && found.size === size;
  } catch {
    return false;
  }
}
