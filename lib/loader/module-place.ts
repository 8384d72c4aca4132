import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * The location a bundled file sees as its own: `import.meta`, `__dirname` and `__filename` must keep naming the source
 * file, not the bundle. The names are replaced by identifiers, imported after the file's last line, so that no source
 * position moves (imports are hoisted).
 */
export const PLACE_NAMESPACE = 'module-place';

export const PLACE_DEFINES = {
  'import.meta': '__module_meta',
  __dirname: '__module_dirname',
  __filename: '__module_filename',
};

const USES_PLACE = /\bimport\s*\.\s*meta\b|\b__dirname\b|\b__filename\b/;

export function usesPlace(source: string): boolean {
  return USES_PLACE.test(source);
}

/** The line appended to the source. */
export function placeImport(path: string): string {
  return `\nimport { __module_meta, __module_dirname, __module_filename } from ${JSON.stringify(`${PLACE_NAMESPACE}:${path}`)};`;
}

/** The source of the small module with the location of one file. */
export function placeModule(path: string): string {
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
