import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import path from 'node:path';

/**
 * Preloaded before author tests: resolves 'switchboard' and 'switchboard/testing' from any folder. In this repository
 * package.json does the same. Files with `import` or `export` are modules, as extensions are, although `npm init` writes
 * "type": "commonjs" into the package.json around them.
 */
const MODULES: Readonly<Record<string, string>> = {
  switchboard: '../contract/extension-api.ts',
  'switchboard/testing': 'load-extension.ts',
};

registerHooks({
  resolve(specifier, context, next) {
    const file = Object.hasOwn(MODULES, specifier) ? MODULES[specifier] : undefined;
    if (file === undefined) return next(specifier, context);
    return { url: pathToFileURL(path.join(import.meta.dirname, file)).href, shortCircuit: true };
  },
  load(url, context, next) {
    const format = context.format?.replace('commonjs', 'module');
    if (format === context.format || !url.startsWith('file:') || /\.c[jt]s$|\/node_modules\//.test(url)) return next(url, context);
    return next(url, isModule(readFileSync(fileURLToPath(url), 'utf8')) ? { ...context, format } : context);
  },
});

function isModule(source: string): boolean {
  return /^\s*(?:import\s*['"{*\w]|export\s*[{*\w])/m.test(source);
}
