import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BuildOptions, Plugin } from 'esbuild';
import { runEsbuild } from './run-esbuild.ts';

/**
 * A program that runs in a Node process of the host, bundled as one file: its start must not pay for type stripping, resolving
 * forty modules and compiling JSON Schema's meta-schemas. It is in a folder with its starter (children/boot.ts). The folder is
 * named by the hash of its sources, so another host version does not interfere, and is created by rename, so it is never seen
 * incomplete.
 */
const HERE = dirname(fileURLToPath(import.meta.url));
/**
 * `child` runs in the process of each Node extension, `guard` validates values for other languages, `server` connects to an MCP
 * server.
 */
const ENTRIES = {
  child: join(HERE, 'children', 'main.ts'),
  guard: join(HERE, 'children', 'guard.ts'),
  server: join(HERE, 'children', 'server-main.ts'),
} as const;
const BOOT = join(HERE, 'children', 'boot.ts');
/** The program as a function of `require` and of its own URL. */
const WRAPPED: BuildOptions = {
  define: { 'import.meta.url': 'programUrl' },
  banner: { js: '(function (require, programUrl) {' },
  footer: { js: '})' },
};
const CONTRACT = fileURLToPath(new URL('../contract/', import.meta.url));
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const PACKAGES = ['ajv', 'ajv-formats', 'esbuild'];
const require = createRequire(import.meta.url);
/** The package does not export its manifest. */
const MCP_CLIENT_MANIFEST = join(dirname(dirname(require.resolve('@modelcontextprotocol/client'))), 'package.json');

/**
 * Builds the program if it is missing.
 *
 * @returns the absolute path of the entry file for Node; it reads the other files of its folder
 */
export async function buildChildProgram(cacheDir: string, name: keyof typeof ENTRIES = 'child'): Promise<string> {
  const folder = join(cacheDir, `${name}-${await hashOnce()}`);
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
    // Another host may have built it meanwhile.
    if (!(await isFile(file))) throw error;
  });
  // The program exists even if the cleanup fails.
  await removeUnused(cacheDir).catch(() => undefined);
  return file;
}

/** A program that was not started for a month belongs to an old version. */
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

let hashed: Promise<string> | null = null;

/** The modules of this process do not change either. Retried after a failure. */
function hashOnce(): Promise<string> {
  hashed ??= hashOfSources().catch((error: unknown) => {
    hashed = null;
    throw error;
  });
  return hashed;
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
    // esbuild names the modules relative to this folder, independent of the current folder of the server.
    absWorkingDir: ROOT,
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

/** Replaces children/meta-validators.ts by code that ajv generated. */
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
      contents: await compiledMetaSchema(path.endsWith('2020')),
    }));
  },
};

const compiled = new Map<boolean, Promise<string>>();

/** Every program contains both, and a compilation blocks the event loop for some time. */
function compiledMetaSchema(is2020: boolean): Promise<string> {
  const code = compiled.get(is2020) ?? compileMetaSchema(is2020);
  compiled.set(is2020, code);
  return code;
}

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
