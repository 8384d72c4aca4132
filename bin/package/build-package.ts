import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { build, stop, transform } from 'esbuild';
import * as z from 'zod';
import { buildChildProgram } from '#lib/runtime/child-program.ts';
import { bundlePrograms, CHILD_PROGRAMS } from './bundle-programs.ts';

/**
 * `npm pack` runs this before it packs: makes `dist`, which has everything an installed package runs. Node does not strip types
 * below node_modules, so all programs are JavaScript; their packages are bundled, because a package's lock file does not hold
 * where it is installed (docs/adr/0070-bundles-for-server-and-package.md). The pages are Next's build with the files of Next that serve it.
 *
 * The same sources make the same files: random keys of the build are replaced, and no path of this machine stays.
 */
const ROOT = path.resolve(import.meta.dirname, '../..');
const DIST = path.join(ROOT, 'dist');
const run = promisify(execFile);
const BUILD = path.join(ROOT, '.next');

/** Parts of Next's build that serve pages. */
const SERVED = /^(?:BUILD_ID|package\.json|[a-z-]*manifest\.json|required-server-files\.json|(?:server|static)\/.+)$/;
const NOT_SERVED = /\.(?:map|nft\.json)$|^(?:next-minimal-server|export-marker)/;
/**
 * Next's entry for custom servers, and modules that it requires at the first request. The files that these load or may require
 * later are copied, except parts for development, building and images.
 */
const NEXT_SERVER = ['next/dist/server/next.js', 'next/dist/server/lib/start-server.js', 'next/dist/server/next-server.js'];
const NEXT_LEFT_OUT = [
  '**/*.{d.ts,map}',
  '**/*.development.js',
  '**/node_modules/{baseline-browser-mapping,browserslist,caniuse-lite,detect-libc,postcss,semver,sharp,@img}/**',
  '**/next/dist/{docs,pages,next-devtools}/**',
  '**/next/dist/build/{jest,polyfills,swc,webpack}/**',
  '**/next/dist/build/webpack-config.js',
  '**/next/dist/client/dev/**',
  '**/next/dist/compiled/{acorn,babel,babel-packages,browserslist,conf,crypto-browserify,cssnano-simple,jest-worker}/**',
  '**/next/dist/compiled/{next-devtools,next-server,ora,postcss*,sass-loader,schema-utils*,tar,terser,webpack}/**',
  '**/next/dist/compiled/{@edge-runtime/primitives,@modelcontextprotocol,@mswjs,@next,edge-runtime}/**',
  '**/react-dom/cjs/react-dom-server*.{browser,edge}.*',
  '**/react-dom/cjs/react-dom-server-legacy.*',
  '**/next/dist/lib/upgrade/**',
  '**/next/dist/server/dev/{hot-middleware,hot-reloader-rspack,hot-reloader-turbopack,hot-reloader-webpack,next-dev-server}.js',
  '**/next/dist/server/typescript/**',
  '**/next/dist/server/lib/route-resolver*',
  '**/next/dist/server/capsize-font-metrics.json',
];
const RESOLVED = Symbol('resolved');
const OF_ROUTES = /^node_modules\/next\/dist\/compiled\/next-server\/.*\.prod\.js$/;

const builtSchema = z.object({ config: z.record(z.string(), z.unknown()) });
const listSchema = z.object({ files: z.array(z.string()) });

await rm(DIST, { recursive: true, force: true });
await mkdir(DIST);
const bundled = await bundlePrograms(ROOT, DIST);
await writeTypes();
await copyChildPrograms();
await copyBuild();
await copyNext();
await writeLicenses(ROOT, path.join(DIST, 'licenses.txt'), bundled);
await stop();

/** The types of 'switchboard' and 'switchboard/testing'. */
async function writeTypes(): Promise<void> {
  const options = [
    '--ignoreConfig',
    '--declaration',
    '--emitDeclarationOnly',
    '--types',
    'node',
    '--target',
    'esnext',
    '--module',
    'nodenext',
  ];
  const sources = ['lib/contract/extension-api.ts', 'bin/package/testing-types.ts'];
  const compiler = path.join(ROOT, 'node_modules/typescript/bin/tsc');
  await run(process.execPath, [compiler, ...options, '--rootDir', ROOT, '--outDir', path.join(DIST, 'types'), ...sources], { cwd: ROOT });
  for (const source of sources) {
    const name = `${path.basename(source, '.ts')}.d.ts`;
    await cp(path.join(DIST, 'types', path.dirname(source), name), path.join(DIST, name));
  }
  await rm(path.join(DIST, 'types'), { recursive: true });
}

async function copyChildPrograms(): Promise<void> {
  const made = path.join(ROOT, '.cache', 'programs');
  for (const name of CHILD_PROGRAMS)
    await cp(path.dirname(await buildChildProgram(made, name)), path.join(DIST, 'programs', name), { recursive: true });
}

async function copyBuild(): Promise<void> {
  const files = await filesIn(BUILD);
  const served = files.filter((file) => SERVED.test(file) && !NOT_SERVED.test(file));
  const id = await readFile(path.join(BUILD, 'BUILD_ID'), 'utf8');
  const replaced = [...(await randomTexts(id)), [ROOT, '.'] as const];
  for (const file of served) {
    const target = path.join(DIST, '.next', file);
    await mkdir(path.dirname(target), { recursive: true });
    if (!/\.(?:json|js)$/.test(file) || file.startsWith('static/')) {
      await cp(path.join(BUILD, file), target);
      continue;
    }
    const text = await readFile(path.join(BUILD, file), 'utf8');
    await writeFile(
      target,
      replaced.reduce((changed, [from, to]) => changed.replaceAll(from, to), text),
    );
  }
}

/** Keys of features that Switchboard does not use: draft mode and server actions. */
async function randomTexts(id: string): Promise<readonly (readonly [string, string])[]> {
  const texts = new Set<string>();
  for (const file of ['prerender-manifest.json', 'server/preview-props.json', 'server/server-reference-manifest.json']) {
    const text = await readFile(path.join(BUILD, file), 'utf8').catch(() => '');
    for (const [, value = ''] of text.matchAll(/"(?:previewMode\w+|encryptionKey)": ?"([^"]+)"/g)) texts.add(value);
  }
  return [...texts].map((text, place) => [text, fixedText(`${id}:${place}`, text.length)] as const);
}

function fixedText(seed: string, length: number): string {
  return createHash('sha512').update(seed).digest('hex').repeat(2).slice(0, length);
}

async function copyNext(): Promise<void> {
  const traced = [...(await loadedBy(NEXT_SERVER)), ...(await requiredBy(NEXT_SERVER))];
  const files = new Set([...traced, ...(await filesOfRoutes()), ...traced.flatMap(manifestsOf)]);
  for (const file of [...files].sort()) {
    const target = path.join(DIST, file);
    await mkdir(path.dirname(target), { recursive: true });
    if (!/\.c?js$/.test(file)) {
      await cp(path.join(ROOT, file), target);
      continue;
    }
    const text = await readFile(path.join(ROOT, file), 'utf8');
    const { code } = await transform(text, { minifyWhitespace: true, minifySyntax: true, legalComments: 'none' });
    await writeFile(target, code);
  }
}

/** Files that are loaded at the start. */
async function loadedBy(modules: readonly string[]): Promise<readonly string[]> {
  const program = `for (const name of ${JSON.stringify(modules)}) require(name); console.log(JSON.stringify(Object.keys(require.cache)))`;
  const { config } = builtSchema.parse(JSON.parse(await readFile(path.join(BUILD, 'required-server-files.json'), 'utf8')));
  const env = { ...process.env, NODE_ENV: 'production' as const, __NEXT_PRIVATE_STANDALONE_CONFIG: JSON.stringify(config) };
  const { stdout } = await run(process.execPath, ['-e', program], { cwd: ROOT, env, maxBuffer: 2 ** 26 });
  return z
    .array(z.string())
    .parse(JSON.parse(stdout))
    .map((file) => path.relative(ROOT, file));
}

/** All files that modules require, also later, as esbuild finds them. */
async function requiredBy(modules: readonly string[]): Promise<readonly string[]> {
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: [...modules],
    bundle: true,
    write: false,
    metafile: true,
    platform: 'node',
    format: 'cjs',
    outdir: DIST,
    // As Node resolves.
    conditions: ['module-sync'],
    logLevel: 'error',
    logOverride: { 'require-resolve-not-external': 'silent' },
    loader: { '.node': 'copy', '.wasm': 'copy' },
    plugins: [
      {
        name: 'left-out',
        setup(builder) {
          builder.onResolve({ filter: /./ }, async ({ path: specifier, pluginData, ...rest }) => {
            if (pluginData === RESOLVED) return undefined;
            const found = await builder.resolve(specifier, { ...rest, pluginData: RESOLVED });
            return found.errors.length > 0 || isLeftOut(found.path) ? { path: specifier, external: true } : found;
          });
        },
      },
    ],
  });
  return Object.keys(metafile.inputs);
}

function isLeftOut(file: string): boolean {
  return NEXT_LEFT_OUT.some((pattern) => path.matchesGlob(path.join('/', file), pattern));
}

/** The manifests that Node reads to find a file: of its package, and of folders in it. */
function manifestsOf(file: string): readonly string[] {
  const found: string[] = [];
  for (let folder = path.dirname(file); path.basename(folder) !== 'node_modules'; folder = path.dirname(folder)) {
    const manifest = path.join(folder, 'package.json');
    if (existsSync(path.join(ROOT, manifest))) found.push(manifest);
  }
  return found;
}

/** Files that the build lists for its routes. */
async function filesOfRoutes(): Promise<readonly string[]> {
  // The lists of routes have most of their files in common.
  const found = new Set<string>();
  for (const list of (await filesIn(BUILD)).filter((file) => file.endsWith('.nft.json'))) {
    const { files } = listSchema.parse(JSON.parse(await readFile(path.join(BUILD, list), 'utf8')));
    for (const file of files) found.add(path.relative(ROOT, path.resolve(BUILD, path.dirname(list), file)));
  }
  return [...found].filter((file) => file.startsWith('node_modules/') && (OF_ROUTES.test(file) || !isLeftOut(file)));
}

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
    .filter((file) => !file.startsWith('cache'))
    .sort();
}

/**
 * Writes the license of every package whose code is in `dist`: those of the bundled files, of Next's files, and those that the
 * source maps of the pages name.
 */
async function writeLicenses(root: string, target: string, bundled: readonly string[]): Promise<void> {
  const folders = new Set(bundled.map(packageOf).filter((folder) => folder !== null));
  for (const part of ['dist/node_modules', '.next/server', '.next/static']) {
    for (const entry of await readdir(path.join(root, part), { recursive: true, withFileTypes: true })) {
      const file = path.join(entry.parentPath, entry.name);
      if (part.startsWith('dist')) addFolder(packageOf(path.relative(path.join(root, 'dist'), file)));
      else if (entry.name.endsWith('.map')) for (const source of await sourcesOf(file)) addFolder(packageOf(source));
    }
  }

  function addFolder(folder: string | null): void {
    if (folder !== null && existsSync(path.join(root, folder, 'package.json'))) folders.add(folder);
  }

  const texts = new Map<string, string[]>();
  for (const folder of [...folders].sort()) {
    const { name, version, license } = JSON.parse(await readFile(path.join(root, folder, 'package.json'), 'utf8')) as Record<
      string,
      unknown
    >;
    const files = (await readdir(path.join(root, folder))).filter((file) => /^(?:licen[cs]e|notice|copying)/i.test(file)).sort();
    const parts = await Promise.all(files.map((file) => readFile(path.join(root, folder, file), 'utf8')));
    const text = parts.length > 0 ? parts.map((part) => part.trim()).join('\n\n') : `License: ${String(license)}`;
    texts.set(text, [...(texts.get(text) ?? []), `${String(name)} ${String(version)}`]);
  }
  const sections = [...texts].map(([text, names]) => `${[...new Set(names)].join('\n')}\n\n${text}\n`);
  await writeFile(target, `Switchboard contains code of these packages.\n\n${sections.join(`\n${'-'.repeat(80)}\n\n`)}`);
}

async function sourcesOf(map: string): Promise<readonly string[]> {
  const { sources = [], sections = [] } = JSON.parse(await readFile(map, 'utf8')) as {
    sources?: string[];
    sections?: { map: { sources?: string[] } }[];
  };
  return [...sources, ...sections.flatMap(({ map: { sources: more = [] } }) => more)];
}

/** The innermost package folder of a path, or null. */
function packageOf(file: string): string | null {
  const start = file.indexOf('node_modules/');
  if (start === -1) return null;
  const [found] = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file.slice(start)) ?? [];
  return found ?? null;
}
