import type { SourcePlace } from '#lib/schema/hints/source-place.ts';
import { placeAt } from '#lib/schema/hints/source-place.ts';
import { parseSource } from '#lib/schema/parse-source.ts';

/**
 * Where a name is imported that a package does not export. Packages are read by Node alone, which tells the name and not the place;
 * what relative files export the bundler has looked at already.
 * @param sources texts by their paths
 */
export function locateImported(sources: Readonly<Record<string, string>>, name: string): (SourcePlace & { readonly file: string }) | null {
  for (const [file, source] of Object.entries(sources)) {
    if (!source.includes('import') || !/\.[cm]?[jt]s$/.test(file)) continue;
    for (const statement of parseSource(file, source, { sourceType: 'unambiguous' })?.program.body ?? []) {
      if (statement.type !== 'ImportDeclaration' || statement.source.value.startsWith('.')) continue;
      const specifier = statement.specifiers.find((one) =>
        one.type === 'ImportSpecifier'
          ? (one.imported.type === 'Identifier' ? one.imported.name : one.imported.value) === name
          : one.type === 'ImportDefaultSpecifier' && name === 'default',
      );
      if (specifier !== undefined) return { file, ...placeAt(source, specifier.start) };
    }
  }
  return null;
}
