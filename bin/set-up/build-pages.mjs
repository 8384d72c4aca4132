import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';
import { nodeProgram } from './node-program.mjs';
import { ROOT, runCommand, say, stopWith, withoutSettings } from './run-command.mjs';

/**
 * Builds the pages when their sources changed. The stamp is inside the build and written last, so an interrupted or
 * deleted build is repeated. It hashes names and contents, because a checkout changes times.
 */

const SOURCES = [
  'app',
  'components',
  'lib',
  'public',
  'instrumentation-client.ts',
  'instrumentation.ts',
  'next.config.mjs',
  'postcss.config.mjs',
  'package-lock.json',
  'package.json',
  'tsconfig.base.json',
  'tsconfig.json',
];
const NOT_BUILT = /\.test\.tsx?$|^lib[\\/]testing[\\/]|[\\/]fixtures[\\/]/;

export async function buildPages() {
  const build = path.join(ROOT, process.env.NEXT_DIST_DIR ?? '.next');
  const stamp = path.join(build, 'switchboard-built');
  const hash = hashSources();
  const isBuilt = existsSync(path.join(build, 'BUILD_ID')) && existsSync(stamp) && readFileSync(stamp, 'utf8') === hash;
  if (isBuilt) return;
  say('building the pages (takes half a minute)');
  const env = { ...withoutSettings(), NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1', SWITCHBOARD_BUILD_ID: hash.slice(0, 16) };
  const next = path.join(ROOT, 'node_modules', 'next', 'dist', 'bin', 'next');
  const outcome = await runCommand(nodeProgram(), [next, 'build'], { env });
  if (!outcome.ok) stopWith('the build of the pages failed. Fix the errors above (from Next) and start again.', outcome.output);
  await finishScripts(build);
  writeFileSync(stamp, hash);
}

function hashSources() {
  const hash = createHash('sha256');
  for (const file of SOURCES.flatMap(filesOf))
    hash
      .update(`${file}\0`)
      .update(readFileSync(path.join(ROOT, file)))
      .update('\0');
  return hash.digest('hex');
}

/** Relative to the root, sorted. */
function filesOf(source) {
  const full = path.join(ROOT, source);
  if (!existsSync(full)) return [];
  if (path.extname(source) !== '') return [source];
  return readdirSync(full, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(ROOT, path.join(entry.parentPath ?? Reflect.get(entry, 'path'), entry.name)))
    .filter((file) => !NOT_BUILT.test(file))
    .sort();
}

/** Smaller files are not worth compressing. */
const LEAST_BYTES = 500;

/**
 * V8 compiles functions on first call, on the main thread. This directive makes Chrome compile all of them on another thread
 * while the script arrives. Opening a page calls nearly all of them.
 */
const COMPILE_AHEAD = '//# allFunctionsCalledOnLoad\n';

/**
 * Post-processes Next's scripts and styles in `build`: adds the compile directive, and a `*.br` file for each, served by
 * lib/api/node/compressed-files.ts.
 */
async function finishScripts(build) {
  const folder = path.join(build, 'static');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => /\.(css|js)$/.test(file));
  await Promise.all(files.map((file) => finish(path.join(folder, file))));
}

async function finish(file) {
  let text = readFileSync(file, 'utf8');
  if (file.endsWith('.js') && !text.startsWith(COMPILE_AHEAD)) {
    text = COMPILE_AHEAD + text;
    writeFileSync(file, text);
  }
  const bytes = Buffer.from(text);
  if (bytes.length < LEAST_BYTES) return;
  const params = { [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
  writeFileSync(`${file}.br`, await promisify(brotliCompress)(bytes, { params }));
}
