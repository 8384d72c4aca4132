import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { build } from 'esbuild';
import type { Plugin } from 'esbuild';
import { declarePlace, programOptions, usesPlace } from '../set-up/bundle-server.mjs';

/**
 * Bundles the programs of an installed package: server, command line, worker, and the modules of author tests. A source keeps
 * its place relative to the package's root, so it finds the files that the package has in the same place as a clone. Sources that
 * other programs start are bundled too; the texts that name them are replaced.
 */
export const CHILD_PROGRAMS = ['child', 'guard', 'server'] as const;

/** Found beside the package at run time: they have native parts, or their own files. */
const EXTERNAL = new Set(['@oxc-parser', 'esbuild', 'next', 'pg-native']);
const ENTRIES = {
  server: 'server.ts',
  commands: 'bin/commands/main.ts',
  'probe-worker': 'lib/probe/probe-worker.ts',
  'author-module': 'lib/runtime/children/author-module.ts',
  testing: 'lib/author-tests/load-extension.ts',
  'resolve-author-modules': 'lib/author-tests/resolve-author-modules.ts',
};
/** Sources that run from `dist`: they look for files beside it. */
const IN_DIST = new Set(['server.ts', 'bin/package/shipped-child-program.ts']);
const REPLACED: Readonly<Record<string, readonly (readonly [from: string, to: string])[]>> = {
  'lib/probe/run-probe.ts': [["'./probe-worker.ts'", "'../../dist/probe-worker.js'"]],
  'lib/author-tests/plan-test-runs.ts': [["'resolve-author-modules.ts'", "'../../dist/resolve-author-modules.js'"]],
  'lib/author-tests/resolve-author-modules.ts': [
    ["'../contract/extension-api.ts'", "'../../dist/author-module.js'"],
    ["'load-extension.ts'", "'../../dist/testing.js'"],
  ],
};
/** For the places of sources. */
const BANNER =
  "import { join as joinPlace } from 'node:path'; import { pathToFileURL as urlOfPlace } from 'node:url'; const packageRoot = joinPlace(import.meta.dirname, '..');";

/** Returns the bundled files, relative to `root`. */
export async function bundlePrograms(root: string, dist: string): Promise<readonly string[]> {
  const options = programOptions({
    isBundled: (name) => !EXTERNAL.has(name),
    textOf(file, text) {
      const source = path.relative(root, file);
      const replaced = (REPLACED[source] ?? []).reduce((changed, [from, to]) => replaceText(changed, from, to, source), text);
      return usesPlace(replaced) ? placeOf(source) + replaced : replaced;
    },
  });
  const { metafile } = await build({
    ...options,
    plugins: [shippedSources, ...(options.plugins ?? [])],
    banner: { js: BANNER },
    entryPoints: Object.fromEntries(Object.entries(ENTRIES).map(([name, source]) => [name, path.join(root, source)])),
    outdir: dist,
    metafile: true,
    // Readable lines in stack traces cost less than source maps.
    minifyWhitespace: false,
    logLevel: 'error',
  });
  return Object.keys(metafile.inputs).sort();
}

const shippedSources: Plugin = {
  name: 'shipped-sources',
  setup(builder) {
    builder.onResolve({ filter: /\/child-program\.ts$/ }, () => ({ path: path.join(import.meta.dirname, 'shipped-child-program.ts') }));
    // It requires its native part from where it is.
    builder.onLoad({ filter: /[\\/]oxc-parser[\\/]src-js[\\/].*\.js$/ }, async ({ path: file }) => ({
      contents: placeOf('dist/oxc-parser.js') + (await readFile(file, 'utf8')),
    }));
  },
};

function replaceText(text: string, from: string, to: string, source: string): string {
  if (!text.includes(from)) throw new Error(`${source} no longer has the text ${from}. Change REPLACED in bin/package/bundle-programs.ts.`);
  return text.replaceAll(from, to);
}

function placeOf(source: string): string {
  const place = IN_DIST.has(source) ? path.join('dist', path.basename(source)) : source;
  const file = `joinPlace(packageRoot, ${JSON.stringify(place)})`;
  return declarePlace({
    dirname: `joinPlace(packageRoot, ${JSON.stringify(path.dirname(place))})`,
    filename: file,
    url: `urlOfPlace(${file}).href`,
  });
}
