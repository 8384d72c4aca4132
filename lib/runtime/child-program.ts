import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readFile, readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runEsbuild } from './run-esbuild.ts';
import type { BuildOptions, Plugin } from 'esbuild';

/**
 * A program that runs in a Node process of the host, as one file: starting it must pay neither type stripping, nor
 * the resolution of forty modules, nor the compiling of JSON Schema's own schemas. It lies in a folder beside what starts it
 * (children/boot.ts). The folder is named by the hash of what it is made of, so a host of another version beside this one is
 * never disturbed, and it is put in place by rename, so that nobody sees half of it.
 */
const HERE = dirname(fileURLToPath(import.meta.url));
/** `child` runs in every Node extension's process, `guard` checks values for the other languages, `server` speaks to an MCP server. */
const ENTRIES = {
  child: join(HERE, 'children', 'main.ts'),
  guard: join(HERE, 'children', 'guard.ts'),
  server: join(HERE, 'children', 'server-main.ts'),
} as const;
const BOOT = join(HERE, 'children', 'boot.ts');
/** The program as one function, of what it loads built-in modules with and of the place it has. */
const WRAPPED: BuildOptions = {
  define: { 'import.meta.url': 'programUrl' },
  banner: { js: '(function (require, programUrl) {' },
  footer: { js: '})' },
};
const CONTRACT = fileURLToPath(new URL('../contract/', import.meta.url));
const PACKAGES = ['ajv', 'ajv-formats', 'esbuild'];
const require = createRequire(import.meta.url);
/** Its manifest is not among what it lets others resolve. */
const MCP_CLIENT_MANIFEST = join(dirname(dirname(require.resolve('@modelcontextprotocol/client'))), 'package.json');

/**
 * Made where it is missing.
 *
 * @returns the absolute path of what Node is to be started on; it reads what else lies in its folder
 */
export async function buildChildProgram(cacheDir: string, name: keyof typeof ENTRIES = 'child'): Promise<string> {
  const folder = join(cacheDir, `${name}-${await hashOfSources()}`);
  const file = join(folder, 'main.cjs');
  if (await isFile(file)) {
    await noteUse(folder);
    return file;
  }
  const [main, program] = await Promise.all([bundle(BOOT), bundle(ENTRIES[name], WRAPPED)]);
  const draft = `${folder}.${randomBytes(6).toString('hex')}`;
  await mkdir(draft, { recursive: true });
  await Promise.all([writeFile(join(draft, 'main.cjs'), main), writeFile(join(draft, 'program.js'), program)]);
  await rename(draft, folder).catch(async (error: unknown) => {
    await rm(draft, { recursive: true, force: true });
    // Another host may have made it meanwhile.
    if (!(await isFile(file))) throw error;
  });
  // Whatever is in the way of that, the program is there.
  await removeUnused(cacheDir).catch(() => undefined);
  return file;
}

/** What was started by nobody for a month is of a version that is no more. */
const KEPT_MS = 30 * 24 * 3_600_000;
const PROGRAM = /^(?:child|guard|server)-[0-9a-f]{16}(?:\.[.\w]+)?$/;

async function noteUse(folder: string): Promise<void> {
  const now = new Date();
  await utimes(folder, now, now).catch(() => undefined);
}

async function removeUnused(cacheDir: string): Promise<void> {
  for (const name of (await readdir(cacheDir)).filter((one) => PROGRAM.test(one))) {
    const { mtimeMs } = await stat(join(cacheDir, name));
    if (Date.now() - mtimeMs > KEPT_MS) await rm(join(cacheDir, name), { recursive: true, force: true });
  }
}

async function hashOfSources(): Promise<string> {
  const folders = await Promise.all([HERE, join(HERE, 'children'), CONTRACT].map(sourcesIn));
  const manifests = [...PACKAGES.map((name) => require.resolve(`${name}/package.json`)), MCP_CLIENT_MANIFEST];
  const hash = createHash('sha256');
  for (const text of await Promise.all([...folders.flat(), ...manifests].map((path) => readFile(path))))
    hash.update(`${text.length}:`).update(text);
  return hash.digest('hex').slice(0, 16);
}

async function sourcesIn(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder);
  return names
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .sort()
    .map((name) => join(folder, name));
}

async function isFile(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

async function bundle(entry: string, more: BuildOptions = {}): Promise<Uint8Array> {
  const result = await runEsbuild({
    ...more,
    entryPoints: [entry],
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node26',
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: 'none',
    logLevel: 'silent',
    plugins: [compiledMetaValidators],
  });
  const contents = result.outputFiles[0]?.contents;
  if (contents === undefined) throw new Error('esbuild made no child program');
  return contents;
}

const COMPILED = 'compiled-meta-schema';

/** Puts code that ajv generated in place of children/meta-validators.ts. */
const compiledMetaValidators: Plugin = {
  name: 'compiled-meta-validators',
  setup(builder) {
    builder.onLoad({ filter: /[\\/]children[\\/]meta-validators\.ts$/ }, () => ({
      resolveDir: HERE,
      contents: `
        import { validate as draft2020 } from '${COMPILED}:2020';
        import { validate as draft07 } from '${COMPILED}:07';
        export const metaValidators = () => ({ draft2020, draft07 });`,
    }));
    builder.onResolve({ filter: new RegExp(`^${COMPILED}:`) }, ({ path }) => ({ path, namespace: COMPILED }));
    builder.onLoad({ filter: /.*/, namespace: COMPILED }, async ({ path }) => ({
      resolveDir: HERE,
      contents: await compileMetaSchema(path.endsWith('2020')),
    }));
  },
};

async function compileMetaSchema(is2020: boolean): Promise<string> {
  const [{ Ajv }, { Ajv2020 }, { default: standalone }, { META_OPTIONS, DRAFT_2020_ID, DRAFT_07_ID }] = await Promise.all([
    import('ajv'),
    import('ajv/dist/2020.js'),
    import('ajv/dist/standalone/index.js'),
    import('./children/meta-validators.ts'),
  ]);
  const options = { ...META_OPTIONS, code: { source: true, esm: true } };
  return standalone.default(is2020 ? new Ajv2020(options) : new Ajv(options), { validate: is2020 ? DRAFT_2020_ID : DRAFT_07_ID });
}
