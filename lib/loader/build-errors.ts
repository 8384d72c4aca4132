import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, isAbsolute, sep } from 'node:path';
import type { Message } from 'esbuild';
import type { RawFailure } from '#lib/runtime/runtime.ts';
import { nearestName } from '#lib/schema/nearest-name.ts';
import type { BuildErrorDetail } from './build-plugin.ts';

/**
 * The result of a failed build: one failure with a location, and the missing paths that would fix it when they appear.
 */
export interface BuildErrors {
  readonly failure: RawFailure;
  readonly missing: readonly string[];
}

interface Explained {
  readonly code: 'syntax_error' | 'import_unresolved' | 'unreadable';
  readonly message: string;
  readonly hint?: string;
  readonly missing?: readonly string[];
  /** Absolute; replaces the location of the message when the fault is the file itself. */
  readonly file?: string;
}

const LISTED_MOST = 5;

/** Converts the bundler's errors into one readable failure. `entryFile` is used for an error without a location. */
export function explainBuildErrors(errors: readonly Message[], extensionsDir: string, entryFile: string): BuildErrors {
  const explained = errors.map((error) => ({ error, ...explain(error, extensionsDir) }));
  const missing = [...new Set(explained.flatMap((one) => one.missing ?? []))];
  const first = explained.find((one) => one.code === 'syntax_error') ?? explained[0];
  if (first === undefined)
    return { failure: { code: 'syntax_error', message: 'The file could not be read as code.', file: entryFile }, missing };
  const others = explained.filter((one) => one !== first);
  const lines = others.slice(0, LISTED_MOST).map((one) => `Also, ${placeText(one.error, extensionsDir)}${one.message}`);
  if (others.length > LISTED_MOST) lines.push(`And ${others.length - LISTED_MOST} more.`);
  const place = first.file !== undefined ? { file: first.file } : sourcePlace(first.error, extensionsDir);
  const failure: RawFailure = {
    code: first.code,
    message: [first.message, ...lines].join('\n'),
    file: entryFile,
    ...place,
    ...(first.hint === undefined ? {} : { hint: first.hint }),
  };
  return { failure, missing };
}

function explain(error: Message, extensionsDir: string): Explained {
  const detail = errorDetailOf(error);
  // The bundler looks names up without regard to case, but reads the file under the name as written.
  if (detail?.kind === 'unreadable' && error.location !== null) {
    const unlike = explainCase([detail.path], dirname(resolve(extensionsDir, error.location.file)), extensionsDir);
    if (unlike !== null) return unlike;
  }
  if (detail?.kind === 'unreadable') return { code: 'unreadable', message: detail.message, file: detail.path, missing: [detail.path] };
  if (detail !== null)
    return { code: detail.kind === 'not_utf8' ? 'unreadable' : 'import_unresolved', message: detail.message, hint: detail.hint };
  const specifier = /^Could not resolve "(.*)"/s.exec(error.text)?.[1];
  if (specifier !== undefined) return explainUnresolved(specifier, error, extensionsDir);
  const name = /^No matching export in "(.*)" for import "(.*)"$/s.exec(error.text);
  if (name?.[1] !== undefined && name[2] !== undefined) return explainName(name[1], name[2], error);
  const unread = /^Cannot read (?:directory|file) "(.*)": (.*)$/s.exec(error.text);
  if (unread?.[1] !== undefined) {
    return { code: 'unreadable', message: `"${unread[1]}" could not be read (${unread[2]}).`, file: resolve(extensionsDir, unread[1]) };
  }
  return { code: 'syntax_error', message: plainSyntax(error.text) };
}

function explainUnresolved(specifier: string, error: Message, extensionsDir: string): Explained {
  const folder = error.location === null ? extensionsDir : dirname(resolve(extensionsDir, error.location.file));
  const missing = missingPaths(specifier, folder);
  if (isRelativeOrAbsolute(specifier)) {
    const unlike = explainCase(missing, folder, extensionsDir);
    if (unlike !== null) return unlike;
    const path = resolve(folder, specifier);
    const near = nearestName(basename(path), namesIn(dirname(path)));
    const hint =
      near === null
        ? 'Check the spelling and the folder. The build is retried automatically when the file appears.'
        : `Did you mean "${specifier.slice(0, specifier.length - basename(specifier).length)}${near}"?`;
    return {
      code: 'import_unresolved',
      message: `The file "${specifier}" does not exist (resolved to ${relative(extensionsDir, path) || '.'}).`,
      hint,
      missing,
    };
  }
  if (specifier.startsWith('#'))
    return {
      code: 'import_unresolved',
      message: `"${specifier}" is named in the \`imports\` of no package.json above this file.`,
      hint: 'Add it there, or import the file by its relative path.',
      missing,
    };
  if (/^[@~]\//.test(specifier))
    return {
      code: 'import_unresolved',
      message: `"${specifier}" is neither a package nor the path of a file.`,
      hint: `Path mappings of tsconfig.json are not supported. Write the path relative to this file, such as ".${specifier.slice(1)}.ts".`,
      missing,
    };
  const name = packageName(specifier);
  // A path that exists already cannot appear.
  const absent = missing.filter((file) => !existsSync(file));
  const parts = error.notes.some((note) => /exports|not exported/.test(note.text));
  if (parts && name !== specifier)
    return {
      code: 'import_unresolved',
      message: `The package "${name}" does not export the subpath "${specifier.slice(name.length + 1)}".`,
      hint: 'Check the subpath in the documentation of the package.',
      missing: absent,
    };
  if (missing.some((file) => file.endsWith(`node_modules/${name}`) && existsSync(join(file, 'package.json'))))
    return {
      code: 'import_unresolved',
      message: `The package "${name}" is installed, but it has no code to import.`,
      hint: 'If it only has types, write `import type`; otherwise reinstall it.',
      missing: absent,
    };
  return {
    code: 'import_unresolved',
    message: `The package "${name}" is not installed where this file can reach it.`,
    hint: `Run \`npm install ${name}\` in the extension’s folder or above it, then press Reload. For a file of your own write "./${specifier}".`,
    missing,
  };
}

function explainCase(paths: readonly string[], folder: string, extensionsDir: string): Explained | null {
  const file = differsByCase(paths);
  return file === null ? null : { code: 'import_unresolved', ...caseMismatch(file, folder, extensionsDir), missing: paths };
}

/** @param folder of the importing file */
export function caseMismatch(file: string, folder: string, extensionsDir: string): { readonly message: string; readonly hint: string } {
  return {
    message: `No file has exactly this name; "${relative(extensionsDir, file)}" differs in upper and lower case.`,
    hint: `Write "${specifierFor(file, folder)}", or rename the file.`,
  };
}

function explainName(file: string, name: string, error: Message): Explained {
  const shown = basename(file);
  const near = error.notes.map((note) => /Did you mean to import "(.*)" instead/.exec(note.text)?.[1]).find((found) => found !== undefined);
  const message = name === 'default' ? `"${shown}" has no default export.` : `"${shown}" exports nothing called "${name}".`;
  if (near !== undefined) return { code: 'import_unresolved', message, hint: `Did you mean "${near}"?` };
  const hint =
    name === 'default'
      ? `Import a name in braces, or give "${shown}" an \`export default\`.`
      : `Check the spelling, or add \`export\` to "${name}" in "${shown}".`;
  return { code: 'import_unresolved', message, hint };
}

function plainSyntax(text: string): string {
  const plain = text.replace(/\s*\((?:use|note that|see) .*\)$/i, '');
  if (/^Unexpected end of file|found end of file$/.test(plain)) return 'The file ends too early: something that was opened is not closed.';
  return /[.!?]$/.test(plain) ? plain : `${plain}.`;
}

function errorDetailOf(error: Message): BuildErrorDetail | null {
  const detail: unknown = error.detail;
  if (typeof detail !== 'object' || detail === null || !('kind' in detail) || !('message' in detail) || typeof detail.message !== 'string')
    return null;
  if (detail.kind === 'unreadable' && 'path' in detail && typeof detail.path === 'string')
    return { kind: 'unreadable', path: detail.path, message: detail.message };
  const { kind } = detail;
  if ((kind === 'unresolved' || kind === 'not_utf8') && 'hint' in detail && typeof detail.hint === 'string')
    return { kind, message: detail.message, hint: detail.hint };
  return null;
}

/** The bundler counts columns from 0 in UTF-8 bytes; editors count characters from 1. */
function sourcePlace(
  error: Message,
  extensionsDir: string,
): { readonly file: string; readonly line: number; readonly column: number } | Record<string, never> {
  const at = error.location;
  if (at === null) return {};
  const before = Buffer.from(at.lineText, 'utf8').subarray(0, at.column).toString('utf8');
  return { file: resolve(extensionsDir, at.file), line: at.line, column: before.length + 1 };
}

function placeText(error: Message, extensionsDir: string): string {
  const place = sourcePlace(error, extensionsDir);
  return 'file' in place ? `${relative(extensionsDir, place.file)}:${place.line}:${place.column}: ` : '';
}

/** In resolution order. */
export const RESOLVED_EXTENSIONS = ['.ts', '.mts', '.js', '.mjs', '.cjs', '.cts', '.json', '.tsx', '.jsx'];

/** TypeScript sources may be imported under the name of their compiled JavaScript. */
const WRITTEN_AS: Readonly<Record<string, readonly string[]>> = {
  '.js': ['.ts', '.tsx'],
  '.jsx': ['.tsx', '.ts'],
  '.mjs': ['.mts'],
  '.cjs': ['.cts'],
};

function isRelativeOrAbsolute(specifier: string): boolean {
  return /^\.{1,2}(\/|$)/.test(specifier) || isAbsolute(specifier);
}

/** Every path that would satisfy an unresolved import; when one appears, the build is retried. */
export function missingPaths(specifier: string, importerFolder: string): readonly string[] {
  if (isRelativeOrAbsolute(specifier)) return filePaths(resolve(importerFolder, specifier));
  if (specifier.startsWith('#')) return ancestors(importerFolder).map((folder) => join(folder, 'package.json'));
  const name = packageName(specifier);
  return ancestors(importerFolder).map((folder) => join(folder, 'node_modules', name));
}

/** `@scope/name/part` → `@scope/name`. */
function packageName(specifier: string): string {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}

/** The existing file that differs from one of these missing paths only in case. */
export function differsByCase(paths: readonly string[]): string | null {
  for (const path of paths) {
    let at = '/';
    for (const name of resolve(path).slice(1).split(sep)) {
      const next = join(at, name);
      const found = existsSync(next) ? name : namesIn(at).find((one) => one.toLowerCase() === name.toLowerCase());
      if (found === undefined) {
        at = '';
        break;
      }
      at = join(at, found);
    }
    if (at !== '' && at !== resolve(path) && !existsSync(path)) return at;
  }
  return null;
}

/** The import path of this file from `folder`. */
function specifierFor(file: string, folder: string): string {
  const path = relative(folder, file).replaceAll(sep, '/');
  return path.startsWith('.') ? path : `./${path}`;
}

/** At most the first 1,000; empty when unreadable. */
function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).slice(0, 1_000);
  } catch {
    return [];
  }
}

function filePaths(path: string): readonly string[] {
  const paths = [path, ...RESOLVED_EXTENSIONS.map((extension) => path + extension)];
  const written = /\.(?:[cm]?js|jsx)$/.exec(path)?.[0] ?? '';
  for (const extension of WRITTEN_AS[written] ?? []) paths.push(path.slice(0, -written.length) + extension);
  for (const extension of RESOLVED_EXTENSIONS) paths.push(join(path, `index${extension}`));
  return paths;
}

function ancestors(folder: string): readonly string[] {
  const folders = [folder];
  for (let at = folder; dirname(at) !== at; at = dirname(at)) folders.push(dirname(at));
  return folders;
}
