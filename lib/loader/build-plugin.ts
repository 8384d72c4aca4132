import { existsSync, realpathSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, extname, relative, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type {
  Loader,
  OnLoadArgs,
  OnLoadResult,
  OnResolveArgs,
  OnResolveResult,
  Plugin,
  PluginBuild,
  Location,
  PartialMessage,
} from 'esbuild';
import { encodingFault } from './source-encoding.ts';
import type { SourceReader } from './source-reader.ts';
import type { ParseResult } from 'oxc-parser';
import { placeAt } from '#lib/schema/hints/source-place.ts';
import { parseSource } from '#lib/schema/parse-source.ts';

/** Details the plugin attaches to its own errors; read back by `explainBuildErrors`. */
export type BuildErrorDetail =
  | { readonly kind: 'unreadable'; readonly path: string; readonly message: string }
  | { readonly kind: 'unresolved' | 'not_utf8'; readonly message: string; readonly hint: string };

export interface BuildPluginOptions extends BuildListeners {
  readonly extensionsDir: string;
  /** The link's target, if the path contains a link. The bundler uses the path with the link. */
  readonly linkedDir: string | null;
  /** The file behind the import `switchboard`. Absolute path. */
  readonly authorModule: string;
  readonly reader: SourceReader;
  /** False leaves files as they are; used to locate an error that the appended line would shift. */
  readonly markPlaces: boolean;
  /** Folder with the installed dependencies of the extension; null without one. */
  readonly environment: string | null;
  /** Its dependencies are not installed: missing packages are not errors, so that its sources are still read. */
  readonly isIncomplete: boolean;
}

export interface BuildListeners {
  /** The line with its location was added to a file. */
  onPlaceMarked(): void;
  /** An installed package, in this folder, is imported. */
  onPackage(folder: string): void;
  /** A package, required or optional, was not found from this folder. */
  onUnresolved(specifier: string, folder: string): void;
}

const LOADERS: Readonly<Record<string, Loader>> = {
  '.ts': 'ts',
  '.mts': 'ts',
  '.cts': 'ts',
  '.tsx': 'tsx',
  '.jsx': 'jsx',
  '.js': 'js',
  '.mjs': 'js',
  '.cjs': 'js',
  '.json': 'json',
};

/** Entries and relative imports of files that are, or may resolve to, `.js`. */
const JAVASCRIPT = /^\/.*\.js$|^\.{1,2}(?:\/(?:.*\.js|(?:.*\/)?[^/.]*))?$/;

/** Packages, URLs, and files that Node loads itself. */
const OUTSIDE = /^[^./]|node_modules|\.(?:node|wasm)$/;

/** With this mark the plugin leaves the request to the bundler's own resolver. */
const ASKED = Symbol('asked');

/**
 * Connects a build to the extensions folder. Sources are read here, so that the hash covers exactly what was built;
 * installed packages stay external as absolute URLs; `switchboard` is the host's own module.
 */
export function createBuildPlugin(options: BuildPluginOptions): Plugin {
  return {
    name: 'extension',
    setup(build) {
      build.onResolve({ filter: new RegExp(`^${PLACE_NAMESPACE}:`) }, ({ path }) => ({
        path: path.slice(PLACE_NAMESPACE.length + 1),
        namespace: PLACE_NAMESPACE,
      }));
      if (options.linkedDir !== null) build.onResolve({ filter: /^[./]/ }, (args) => resolveLinked(build, args, options));
      build.onResolve({ filter: JAVASCRIPT }, (args) => resolveInside(build, args, options));
      build.onResolve({ filter: OUTSIDE }, (args) => resolveOutside(build, args, options));
      build.onLoad({ filter: /.*/, namespace: PLACE_NAMESPACE }, ({ path }) => ({ contents: placeModule(path), loader: 'js' }));
      build.onLoad({ filter: /.*/, namespace: 'file' }, (args) => load(build, args, options));
    },
  };
}

/**
 * The bundler follows links; a file below the extensions folder is named by its path there, even if the link changes
 * later.
 */
async function resolveLinked(build: PluginBuild, args: OnResolveArgs, options: BuildPluginOptions): Promise<OnResolveResult | undefined> {
  if (args.pluginData === ASKED || args.namespace === PLACE_NAMESPACE || OUTSIDE.test(args.path)) return undefined;
  const { kind, importer, resolveDir } = args;
  const isEntry = kind === 'entry-point';
  const found = isEntry ? null : await build.resolve(args.path, { kind, importer, resolveDir, with: args.with, pluginData: ASKED });
  if (found !== null && (found.errors.length > 0 || found.external || found.namespace !== 'file')) return undefined;
  const real = found?.path ?? realpathSync(args.path);
  if (isInstalled(pathThroughLink(real, options), options.extensionsDir)) return undefined;
  return { path: pathThroughLink(real, options) };
}

function pathThroughLink(file: string, { extensionsDir, linkedDir }: BuildPluginOptions): string {
  return linkedDir !== null && file.startsWith(linkedDir + sep) ? extensionsDir + file.slice(linkedDir.length) : file;
}

/**
 * A `package.json` far above may declare every `.js` a module, which extension files do not expect. A path resolved
 * here has no such declaration, so the bundler recognises CommonJS by the source.
 */
async function resolveInside(build: PluginBuild, args: OnResolveArgs, options: BuildPluginOptions): Promise<OnResolveResult | undefined> {
  if (args.pluginData === ASKED || args.namespace === PLACE_NAMESPACE) return undefined;
  if (args.kind === 'entry-point') return { path: args.path };
  const { kind, importer, resolveDir } = args;
  const found = await build.resolve(args.path, { kind, importer, resolveDir, with: args.with, pluginData: ASKED });
  const isOwn = found.errors.length === 0 && found.namespace === 'file' && found.path.endsWith('.js');
  return isOwn && !isInstalled(found.path, options.extensionsDir) ? { path: found.path } : undefined;
}

async function resolveOutside(build: PluginBuild, args: OnResolveArgs, options: BuildPluginOptions): Promise<OnResolveResult | undefined> {
  if (args.kind === 'entry-point' || args.pluginData === ASKED || args.namespace !== 'file')
    return args.namespace === PLACE_NAMESPACE ? { path: args.path, external: true } : undefined;
  if (args.path === 'switchboard') return outside(options.authorModule, args);
  if (isBuiltin(args.path)) return { path: args.path, external: true };
  const address = /^([a-z][a-z+.-]+):/.exec(args.path)?.[1];
  if (address === 'node')
    return unresolved(
      `Node has no module "${args.path}".`,
      'Check the spelling; the names of Node’s own modules are in its documentation.',
    );
  if (address === 'http' || address === 'https')
    return unresolved(
      `"${args.path}" is an address on the network; extensions import files and installed packages only.`,
      'Install the package, or save the file beside the extension and import it from there.',
    );
  if (address === 'data') return undefined;
  const path = address === 'file' ? pathOf(args.path) : args.path;
  if (path === null)
    return unresolved(
      `"${args.path}" is not the address of a file on this machine.`,
      'Write the path relative to this file, beginning with "./".',
    );
  const request = { kind: args.kind, importer: args.importer, with: args.with, pluginData: ASKED };
  const isBare = address !== 'file' && !/^[./#]/.test(path);
  // Declared packages come first: another version of one may be installed above the extension.
  const declared =
    options.environment === null || !isBare ? null : await build.resolve(path, { ...request, resolveDir: options.environment });
  const found = declared?.errors.length === 0 ? declared : await build.resolve(path, { ...request, resolveDir: args.resolveDir });
  if (found.errors.length > 0 && isBare && options.isIncomplete) return { path, external: true };
  // The bundler distinguishes a missing package from an optional one (in `try`, or before `.catch`).
  if (found.errors.length > 0) options.onUnresolved(path, args.resolveDir);
  if (found.errors.length > 0) return address === 'file' ? { errors: found.errors } : undefined;
  if (found.external || found.namespace !== 'file') return found;
  const file = pathThroughLink(found.path, options);
  const isPackage = isInstalled(file, options.extensionsDir);
  if (!isPackage && /\.(?:node|wasm)$/.test(file) && !existsSync(file)) {
    const message = `${file} no longer exists.`;
    const detail: BuildErrorDetail = { kind: 'unreadable', path: file, message };
    return { errors: [{ text: message, detail }] };
  }
  if (isPackage) options.onPackage(packageFolder(file));
  return isPackage || /\.(?:node|wasm)$/.test(file) ? outside(file, args) : { path: file };
}

function pathOf(url: string): string | null {
  try {
    return fileURLToPath(url);
  } catch {
    return null;
  }
}

/** `require` takes paths, `import` takes URLs. */
function outside(path: string, args: OnResolveArgs): OnResolveResult {
  const isRequire = args.kind === 'require-call' || args.kind === 'require-resolve';
  return { path: isRequire ? path : pathToFileURL(path).href, external: true };
}

/**
 * The extensions folder itself may lie below a `node_modules`; only a `node_modules` below it, or elsewhere, counts.
 */
function isInstalled(path: string, extensionsDir: string): boolean {
  const below = relative(extensionsDir, path);
  const judged = below.startsWith('..') ? path : below;
  return judged.split(sep).includes('node_modules');
}

/** `…/node_modules/@scope/name/part.js` → `…/node_modules/@scope/name`. */
function packageFolder(file: string): string {
  const parts = file.split(sep);
  const at = parts.lastIndexOf('node_modules');
  return parts.slice(0, at + (parts[at + 1]?.startsWith('@') === true ? 3 : 2)).join(sep);
}

function unresolved(message: string, hint: string): OnResolveResult {
  const detail: BuildErrorDetail = { kind: 'unresolved', message, hint };
  return { errors: [{ text: message, detail }] };
}

async function load(build: PluginBuild, args: OnLoadArgs, options: BuildPluginOptions): Promise<OnLoadResult> {
  const asText = args.with['type'] === 'text';
  const loader = asText ? 'text' : LOADERS[extname(args.path)];
  if (loader === undefined) {
    const message = `"${relative(options.extensionsDir, args.path)}" is not code or JSON and cannot be imported.`;
    const detail: BuildErrorDetail = {
      kind: 'unresolved',
      message,
      hint: 'Read it at run time instead: `readFileSync(new URL("./name", import.meta.url))`.',
    };
    return { errors: [{ text: message, detail }] };
  }
  const source = await options.reader.read(args.path);
  if (!source.ok) {
    const detail: BuildErrorDetail = { kind: 'unreadable', path: args.path, message: source.message };
    return { errors: [{ text: source.message, detail }] };
  }
  const fault = encodingFault(args.path, source.bytes);
  if (fault !== null) {
    const detail: BuildErrorDetail = { kind: 'not_utf8', message: fault.message, hint: fault.hint };
    // Columns from 0, in bytes of the given text.
    const lineText = ' '.repeat(fault.column - 1);
    return {
      errors: [{ text: fault.message, detail, location: { file: args.path, line: fault.line, column: lineText.length, lineText } }],
    };
  }
  if (loader === 'ts' || loader === 'tsx') {
    const errors = await explainUnusedImports(build, args.path, new TextDecoder().decode(source.bytes));
    if (errors.length > 0) return { errors };
  }
  const resolveDir = dirname(args.path);
  if (loader !== 'json' && loader !== 'text' && options.markPlaces) {
    const text = new TextDecoder().decode(source.bytes);
    if (usesPlace(text)) {
      options.onPlaceMarked();
      return { contents: text + placeImport(args.path), loader, resolveDir };
    }
  }
  return { contents: withoutMark(source.bytes), loader, resolveDir };
}

/** A byte order mark would count as a character of the first line. `TextDecoder` omits it as well. */
function withoutMark(bytes: Uint8Array): Uint8Array {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
}

/**
 * Quoted text may contain an unused name. A stray apostrophe makes too much look quoted, which affects only imports of
 * types.
 */
const QUOTED = /'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"/gu;

/**
 * The bundler drops a TypeScript import whose names are not used, and with it the error that the file or package is
 * missing. JavaScript and Python fail in that case, and so does this file once a name is used. An import used only by
 * types looks the same to the bundler and may have no file at run time, so those are left to it.
 */
async function explainUnusedImports(build: PluginBuild, file: string, text: string): Promise<PartialMessage[]> {
  if (!text.includes('import')) return [];
  const parsed = parseSource(file, text, { sourceType: 'unambiguous' });
  if (parsed === null || parsed.errors.length > 0) return [];
  const found = await Promise.all(
    unusedImports(parsed, text).map(async ({ value, start }) => {
      const { errors } = await build.resolve(value, {
        kind: 'import-statement',
        namespace: 'file',
        importer: file,
        resolveDir: dirname(file),
      });
      return errors.map((error) => ({ ...error, location: locationAt(file, text, start) }));
    }),
  );
  return found.flat();
}

function unusedImports({ module, comments }: ParseResult, text: string): { readonly value: string; readonly start: number }[] {
  const named = module.staticImports.filter(({ entries }) => entries.some(({ isType }) => !isType));
  if (named.length === 0) return [];
  let rest = '';
  let from = 0;
  for (const { start, end } of [...comments, ...module.staticImports].sort((a, b) => a.start - b.start)) {
    rest += `${text.slice(from, Math.max(from, start))} `;
    from = Math.max(from, end);
  }
  const words = new Set((rest + text.slice(from)).replaceAll(QUOTED, ' ').match(/[\p{ID_Continue}$]+/gu));
  return named.filter(({ entries }) => !entries.some(({ localName }) => words.has(localName.value))).map((each) => each.moduleRequest);
}

/** In the bundler's units: columns from 0, in UTF-8 bytes. */
function locationAt(file: string, text: string, at: number): Partial<Location> {
  const { line } = placeAt(text, at);
  const begin = text.lastIndexOf('\n', at - 1) + 1;
  const end = text.indexOf('\n', at);
  return { file, line, column: Buffer.byteLength(text.slice(begin, at)), lineText: text.slice(begin, end === -1 ? undefined : end) };
}

/**
 * The location a bundled file sees as its own: `import.meta`, `__dirname` and `__filename` must still name the source
 * file, not the bundle. The names are replaced by identifiers, imported after the file's last line, so that no source
 * position moves (imports are hoisted).
 */
const PLACE_NAMESPACE = 'module-place';

export const PLACE_DEFINES = {
  'import.meta': '__module_meta',
  __dirname: '__module_dirname',
  __filename: '__module_filename',
};

const USES_PLACE = /\bimport\s*\.\s*meta\b|\b__dirname\b|\b__filename\b/;

function usesPlace(source: string): boolean {
  return USES_PLACE.test(source);
}

/** The line appended to the source. */
function placeImport(path: string): string {
  return `\nimport { __module_meta, __module_dirname, __module_filename } from ${JSON.stringify(`${PLACE_NAMESPACE}:${path}`)};`;
}

/** The source of the small module with the location of one file. */
function placeModule(path: string): string {
  const url = pathToFileURL(path).href;
  const values = { dirname: dirname(path), filename: path, url, main: false };
  return [
    `import { createRequire, isBuiltin } from 'node:module';`,
    `import { pathToFileURL } from 'node:url';`,
    `export const __module_dirname = ${JSON.stringify(values.dirname)}, __module_filename = ${JSON.stringify(path)};`,
    `const find = (name) => /^(?:\\.{0,2}\\/|[a-z]+:)/.test(name) ? new URL(name, ${JSON.stringify(url)}).href`,
    `  : isBuiltin(name) ? 'node:' + name : pathToFileURL(createRequire(${JSON.stringify(url)}).resolve(name)).href;`,
    `export const __module_meta = Object.assign(Object.create(null), ${JSON.stringify(values)}, { resolve: find });`,
  ].join('\n');
}
