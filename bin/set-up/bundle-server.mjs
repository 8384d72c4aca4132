import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT, say } from './run-command.mjs';

/**
 * The server as a few files instead of the 600 modules that it imports, most of them Kysely's and zod's: a start spent more
 * time on finding and linking modules than on its own work, and kept the text of each. What can go wrong:
 * - sources change: a bundle lies in a folder named for the hash of all it is made of, the place of the project included;
 * - it is made while another start makes it, or while a server runs from an older one and has parts still to load: it is
 *   made beside and moved in place, and the newest few are kept;
 * - a source finds other files by its own place: `import.meta` goes on naming the source;
 * - it cannot be made, or is gone: the server runs from its sources, as `npm run dev` always does.
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
 * Packages of many small files, which may lie anywhere; the others stay outside. Of CommonJS only what every start needs, prom-client
 * and pino with all that it requires, and only by its named exports in an `import` statement: from a bundle `import('it')` gives the
 * default alone.
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
/** What a CommonJS package requires of Node itself: a bundle of ES modules has no `require` to do it with. */
const OF_NODE = 'of-node';
/**
 * Of pino: threads that write, which the server has none of, and the question who calls, which is for them alone and makes Node
 * read the source maps of the bundle. Of prom-client: the unused parts that import further packages, OpenTelemetry among them.
 */
const LEFT_OUT = /[\\/](pino[\\/]lib[\\/](caller|transport)|prom-client[\\/]lib[\\/](cluster|defaultMetrics|pushgateway|summary))\.js$/;
/** What stands in for `import.meta`: constants that each source that asks for its place gets on its first line. */
const PLACE = { dirname: 'placeDirname', filename: 'placeFilename', url: 'placeUrl' };
const NOT_SERVED = /\.test\.ts$|^testing[\\/]|^client[\\/]|[\\/]fixtures[\\/]/;

/**
 * The larger the part of the heap for what is young, the further from its limit V8 begins to mark the old part: a server with 50 MB
 * marked all of it, with four threads, after every fifth save, and whatever was done meanwhile took three times as long. With 8 MB
 * it marks when the old part has grown.
 */
const YOUNG_PART = '--max-semi-space-size=8';

/**
 * glibc gives a large buffer back to the system when it is freed, until the first one that is: from then on it keeps such memory,
 * up to 32 MB in pieces, for buffers of that size. A fixed bound leaves the first rule in force. Read by glibc alone.
 */
export const SERVER_ENVIRONMENT = { MALLOC_MMAP_THRESHOLD_: '262144' };

/** What Node is to run, with its options: the bundle where there is one of the present sources, else the sources. */
export function serverProgram(into = FOLDER) {
  const entry = path.join(folderOf(into, hashSources()), 'server.js');
  return [YOUNG_PART, ...(existsSync(entry) ? ['--enable-source-maps', entry] : [SOURCE])];
}

/** Must lie below the project, where the packages that stay outside are found. */
export async function bundleServer(into = FOLDER) {
  const folder = folderOf(into, hashSources());
  if (existsSync(folder)) return;
  say('bundling the server');
  const beside = `${folder}.${process.pid}`;
  try {
    const esbuild = await import(pathToFileURL(path.join(ROOT, 'node_modules', 'esbuild', 'lib', 'main.js')).href);
    await bundle(esbuild, beside).finally(() => esbuild.stop());
    writeFileSync(path.join(beside, 'package.json'), '{ "type": "module" }\n');
    if (!existsSync(folder)) renameSync(beside, folder);
    removeOld(into);
  } catch (error) {
    say(
      `the server could not be bundled and starts from its sources, a little slower: ${error instanceof Error ? error.message : String(error)}`,
    );
  } finally {
    rmSync(beside, { recursive: true, force: true });
  }
}

async function bundle(esbuild, outdir) {
  mkdirSync(outdir, { recursive: true });
  await esbuild.build({
    absWorkingDir: ROOT,
    entryPoints: [SOURCE],
    outdir,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node26',
    mainFields: ['module', 'main'],
    define: Object.fromEntries(Object.entries(PLACE).map(([name, constant]) => [`import.meta.${name}`, constant])),
    minifyWhitespace: true,
    legalComments: 'none',
    sourcemap: 'linked',
    sourcesContent: false,
    logLevel: 'silent',
    plugins: [{ name: 'server', setup: bundleOwnCode }],
  });
}

function bundleOwnCode(build) {
  build.onResolve({ filter: /^[^./#]/ }, ({ path: specifier, kind }) => {
    if (kind === 'require-call' && isBuiltin(specifier)) return { path: specifier, namespace: OF_NODE };
    return kind === 'entry-point' || BUNDLED.has(specifier.split('/', 1)[0]) ? undefined : { path: specifier, external: true };
  });
  build.onLoad({ filter: /^/, namespace: OF_NODE }, ({ path: name }) => ({
    contents: `module.exports = process.getBuiltinModule(${JSON.stringify(name)});`,
  }));
  build.onLoad({ filter: LEFT_OUT }, () => ({ contents: 'module.exports = () => undefined;' }));
  build.onLoad({ filter: /\.ts$/, namespace: 'file' }, async ({ path: file }) => {
    const text = await readFile(file, 'utf8');
    return { contents: text.includes('import.meta.') ? placeOf(file) + text : text, loader: 'ts' };
  });
}

function placeOf(file) {
  const values = { dirname: path.dirname(file), filename: file, url: pathToFileURL(file).href };
  return Object.entries(PLACE)
    .map(([name, constant]) => `const ${constant} = ${JSON.stringify(values[name])}; `)
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

function hashSources() {
  const hash = createHash('sha256').update(ROOT);
  for (const file of ['server.ts', 'package-lock.json', 'bin/set-up/bundle-server.mjs', ...filesOfLib()])
    hash.update(`\0${file}\0`).update(readFileSync(path.join(ROOT, file)));
  return hash.digest('hex');
}

function filesOfLib() {
  return readdirSync(path.join(ROOT, 'lib'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !NOT_SERVED.test(file))
    .map((file) => path.join('lib', file))
    .sort();
}
