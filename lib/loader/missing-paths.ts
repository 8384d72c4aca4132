import { existsSync, readdirSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';

/** In the order in which they are tried. */
export const RESOLVED_EXTENSIONS = ['.ts', '.mts', '.js', '.mjs', '.cjs', '.cts', '.json', '.tsx', '.jsx'];

/** TypeScript sources may be imported under the name of their compiled JavaScript. */
const WRITTEN_AS: Readonly<Record<string, readonly string[]>> = {
  '.js': ['.ts', '.tsx'],
  '.jsx': ['.tsx', '.ts'],
  '.mjs': ['.mts'],
  '.cjs': ['.cts'],
};

export function isRelativeOrAbsolute(specifier: string): boolean {
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
export function packageName(specifier: string): string {
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

/** How a file of `folder` imports this one. */
export function specifierFor(file: string, folder: string): string {
  const path = relative(folder, file).replaceAll(sep, '/');
  return path.startsWith('.') ? path : `./${path}`;
}

/** At most the first 1,000; empty when unreadable. */
export function namesIn(folder: string): readonly string[] {
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
