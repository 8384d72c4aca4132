import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT, say } from './run-command.mjs';
import { SERVER_OPTIONS } from './server-process.mjs';

/**
 * Bundles the server's 600 modules, most of them Kysely's and zod's (docs/adr/0070-bundles-for-server-and-package.md). What can go wrong:
 * - sources change: the folder name is a hash of all sources and the project path;
 * - two starts build at once, or a running server still loads chunks of an older bundle: the build is written to a temporary
 *   folder and renamed, and the newest few stay;
 * - a source locates files: `import.meta` names the source;
 * - the build fails or is missing: the server runs from its sources, as `npm run dev` does.
 */
const FOLDER = path.join(ROOT, '.cache', 'server');
const SOURCE = path.join(ROOT, 'server.ts');
const KEPT = 3;
const PINO = [
  'pino',
  '@pinojs',
  'atomic-sleep',
  'on-exit-leak-free',
  'pino-std-serializers',
  'process-warning',
  'quick-format-unescaped',
  'safe-stable-stringify',
  'sonic-boom',
];
/**
 * Bundled packages: those with many small files, and of CommonJS only what every start needs (prom-client, pino and its
 * dependencies). Import CommonJS by name in an `import` statement; from a bundle `import()` returns only the default export.
 */
const BUNDLED = new Set([
  '@hono',
  '@modelcontextprotocol',
  '@opentelemetry',
  'chokidar',
  'hono',
  'jsonc-parser',
  'kysely',
  'prom-client',
  'readdirp',
  'zod',
  ...PINO,
]);
/** Node modules that CommonJS packages require; an ES module bundle has no `require`. */
const OF_NODE = 'of-node';
/**
 * Excluded: pino's transports and caller lookup (it makes Node read the source maps), and unused parts of prom-client that
 * import further packages, OpenTelemetry among them.
 */
const LEFT_OUT = /[\\/](pino[\\/]lib[\\/](caller|transport)|prom-client[\\/]lib[\\/](cluster|defaultMetrics|pushgateway|summary))\.js$/;
/** Replaces `import.meta` by constants in the first line of each source. */
const PLACE = { dirname: 'placeDirname', filename: 'placeFilename', url: 'placeUrl' };
const NOT_SERVED = /\.test\.ts$|^testing[\\/]|^client[\\/]|[\\/]fixtures[\\/]/;

/** Program and options for Node: the bundle of the current sources, else the sources. */
export function serverProgram(into = FOLDER, source = SOURCE) {
  const entry = path.join(folderOf(into, hashSources(source)), `${path.basename(source, '.ts')}.js`);
  return [...SERVER_OPTIONS, existsSync(entry) ? entry : source];
}

/** Inside the project, so external packages resolve. */
export async function bundleServer(into = FOLDER, source = SOURCE) {
  const folder = folderOf(into, hashSources(source));
  if (existsSync(folder)) return;
  say('bundling the server');
  const beside = `${folder}.${process.pid}`;
  try {
    const esbuild = await import(pathToFileURL(path.join(ROOT, 'node_modules', 'esbuild', 'lib', 'main.js')).href);
    await bundle(esbuild, source, beside).finally(() => esbuild.stop());
    writeFileSync(path.join(beside, 'package.json'), '{ "type": "module" }\n');
    if (!existsSync(folder)) renameSync(beside, folder);
    removeOld(into);
  } catch (error) {
    say(`the server bundle failed; starting from sources, which is slower: ${error instanceof Error ? error.message : String(error)}`);
  } finally {
    rmSync(beside, { recursive: true, force: true });
  }
}

async function bundle(esbuild, source, outdir) {
  mkdirSync(outdir, { recursive: true });
  await esbuild.build({
    ...programOptions({ isBundled: (name) => BUNDLED.has(name), textOf: (file, text) => (usesPlace(text) ? placeOf(file) + text : text) }),
    entryPoints: [source],
    outdir,
    sourcemap: 'linked',
    sourcesContent: false,
    logLevel: 'silent',
  });
}

/**
 * Options of esbuild for programs of the host, split into chunks.
 * - `isBundled`: whether a package is included, by its name or scope; others are imported
 * - `textOf`: the text of a source; it declares the constants that replace `import.meta`, if the source uses them
 */
export function programOptions({ isBundled, textOf }) {
  return {
    absWorkingDir: ROOT,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node26',
    mainFields: ['module', 'main'],
    define: Object.fromEntries(Object.entries(PLACE).map(([name, constant]) => [`import.meta.${name}`, constant])),
    minifyWhitespace: true,
    legalComments: 'none',
    plugins: [
      {
        name: 'programs',
        setup(build) {
          build.onResolve({ filter: /^[^./#]/ }, ({ path: specifier, kind }) => {
            if (kind === 'require-call' && isBuiltin(specifier)) return { path: specifier, namespace: OF_NODE };
            return kind === 'entry-point' || isBundled(specifier.split('/', 1)[0]) ? undefined : { path: specifier, external: true };
          });
          build.onLoad({ filter: /^/, namespace: OF_NODE }, ({ path: name }) => ({
            contents: `module.exports = process.getBuiltinModule(${JSON.stringify(name)});`,
          }));
          build.onLoad({ filter: LEFT_OUT }, () => ({ contents: 'module.exports = () => undefined;' }));
          build.onLoad({ filter: /\.ts$/, namespace: 'file' }, async ({ path: file }) => ({
            contents: textOf(file, await readFile(file, 'utf8')),
            loader: 'ts',
          }));
        },
      },
    ],
  };
}

export function usesPlace(text) {
  return text.includes('import.meta.');
}

function placeOf(file) {
  return declarePlace({
    dirname: JSON.stringify(path.dirname(file)),
    filename: JSON.stringify(file),
    url: JSON.stringify(pathToFileURL(file).href),
  });
}

/** Declares the constants that replace `import.meta`, by an expression each. */
export function declarePlace(expressions) {
  return Object.entries(PLACE)
    .map(([name, constant]) => `const ${constant} = ${expressions[name]}; `)
    .join('');
}

function folderOf(into, hash) {
  return path.join(into, hash.slice(0, 16));
}

function removeOld(into) {
  const made = readdirSync(into)
    .map((name) => ({ folder: path.join(into, name), at: statSync(path.join(into, name)).mtimeMs }))
    .sort((one, other) => other.at - one.at);
  for (const { folder } of made.slice(KEPT)) rmSync(folder, { recursive: true, force: true });
}

function hashSources(source) {
  const hash = createHash('sha256').update(ROOT);
  for (const file of [path.relative(ROOT, source), 'package-lock.json', 'bin/set-up/bundle-server.mjs', ...filesOfLib()])
    hash.update(`\0${file}\0`).update(readFileSync(path.join(ROOT, file)));
  return hash.digest('hex');
}

function filesOfLib() {
  return readdirSync(path.join(ROOT, 'lib'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !NOT_SERVED.test(file))
    .map((file) => path.join('lib', file))
    .sort();
}
