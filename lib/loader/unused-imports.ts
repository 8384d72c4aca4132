import { dirname } from 'node:path';
import type { Location, PartialMessage, PluginBuild } from 'esbuild';
import type { ParseResult } from 'oxc-parser';
import { placeAt } from '#lib/schema/hints/source-place.ts';
import { parseSource } from '#lib/schema/parse-source.ts';

/** A text may say the name of what is not used. Where an apostrophe is none, too much is taken for quoted, which matters to imports of types alone. */
const QUOTED = /'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"/gu;

/**
 * The bundler drops an import of TypeScript whose names stand nowhere else, and with it the word that there is no such file or
 * package; JavaScript and Python fail there, and so does this file as soon as a name is used. What goes wrong: an import that
 * only types use looks alike to the bundler, and may well lead to nothing that runs, so those are left to it.
 */
export async function explainUnusedImports(build: PluginBuild, file: string, text: string): Promise<PartialMessage[]> {
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

/** As the bundler tells places: columns from 0, in UTF-8 bytes. */
function locationAt(file: string, text: string, at: number): Partial<Location> {
  const { line } = placeAt(text, at);
  const begin = text.lastIndexOf('\n', at - 1) + 1;
  const end = text.indexOf('\n', at);
  return { file, line, column: Buffer.byteLength(text.slice(begin, at)), lineText: text.slice(begin, end === -1 ? undefined : end) };
}
