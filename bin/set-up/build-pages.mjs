import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { finishScripts } from './finish-scripts.mjs';
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
