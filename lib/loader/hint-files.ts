import { dirname } from 'node:path';
import type { ModuleSource } from '#lib/schema/hints/declarations.ts';
import { parseModule } from '#lib/schema/hints/module-text.ts';
import type { ModuleText } from '#lib/schema/hints/module-text.ts';
import { wordsOfCase } from './build-errors.ts';
import { differsByCase, missingPaths } from './missing-paths.ts';
import { encodingFault } from './source-encoding.ts';
import type { SourceReader } from './source-reader.ts';

/**
 * The files that type hints lead to. An import of types alone leaves no trace in a bundle; read through the reader of the
 * build, such a file counts among its sources, and a change to it is a change of the extension.
 */
export function createHintSource(reader: SourceReader, extensionsDir: string): ModuleSource {
  const parsed = new Map<string, ModuleText>();
  return {
    async read(specifier, from) {
      const paths = hintPaths(specifier, dirname(from.path));
      for (const path of paths) {
        const known = parsed.get(path);
        if (known !== undefined) return { ok: true, module: known };
        if (!/\.[cm]?[jt]sx?$/.test(path)) continue;
        const read = await reader.read(path);
        if (!read.ok) continue;
        const module = parseModule(path, new TextDecoder().decode(read.bytes));
        const fault = encodingFault(path, read.bytes);
        if (fault !== null)
          return { ok: false, ...fault, missing: [], unreadable: { module, offset: Math.max(0, module.source.indexOf('\uFFFD')) } };
        parsed.set(path, module);
        return { ok: true, module };
      }
      const unlike = differsByCase(paths);
      if (unlike !== null) return { ok: false, ...wordsOfCase(unlike, dirname(from.path), extensionsDir), missing: paths };
      return { ok: false, message: `The file "${specifier}" is not there, or cannot be read.`, missing: paths };
    },
  };
}

/** Declarations may also lie in a `.d.ts` beside the code. */
function hintPaths(specifier: string, folder: string): readonly string[] {
  const paths = missingPaths(specifier, folder);
  const [path = ''] = paths;
  return [...paths, `${path}.d.ts`, path.replace(/\.([cm]?)js$/, '.d.$1ts')].filter((one, index, all) => all.indexOf(one) === index);
}
