import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import path from 'node:path';

/**
 * Preloaded before author tests: resolves 'switchboard' and 'switchboard/testing' from any folder. In this repository
 * package.json does the same.
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
});
