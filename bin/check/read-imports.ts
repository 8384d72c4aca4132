import { parseSync, Visitor } from 'oxc-parser';

/** First import of a module in a file. `types`: erased at run time. */
export interface Import {
  readonly specifier: string;
  readonly types: boolean;
  readonly line: number;
}

export interface FileImports {
  readonly imports: readonly Import[];
  /** Lines with `export *`. */
  readonly starExports: readonly number[];
  /** Parse error, or null. */
  readonly broken: string | null;
}

/**
 * Static and dynamic imports, re-exports, `import('x').T` in types, and `new URL('./x', import.meta.url)` unless it names a
 * folder.
 */
export function readImports(file: string, source: string): FileImports {
  const parsed = parseSync(file, source);
  const broken = parsed.errors[0];
  if (broken !== undefined) return { imports: [], starExports: [], broken: broken.message };
  const lineAt = (offset: number) => source.slice(0, offset).split('\n').length;
  const imports: Import[] = [];
  const starExports: number[] = [];
  const add = (specifier: string, types: boolean, offset: number) => {
    const isKnown = imports.some((one) => one.specifier === specifier && one.types === types);
    if (!isKnown) imports.push({ specifier, types, line: lineAt(offset) });
  };

  for (const item of parsed.module.staticImports) {
    const types = item.entries.length > 0 && item.entries.every((entry) => entry.isType);
    add(item.moduleRequest.value, types, item.start);
  }
  for (const entry of parsed.module.staticExports.flatMap((item) => item.entries)) {
    if (entry.moduleRequest === null) continue;
    add(entry.moduleRequest.value, entry.isType, entry.start);
    if (entry.importName.kind.startsWith('All') && entry.exportName.kind === 'None') starExports.push(lineAt(entry.start));
  }
  new Visitor({
    ImportExpression(node) {
      if (node.source.type === 'Literal' && typeof node.source.value === 'string') add(node.source.value, false, node.start);
    },
    TSImportType(node) {
      add(node.source.value, true, node.start);
    },
    NewExpression(node) {
      const [first, second] = node.arguments;
      const isUrl = node.callee.type === 'Identifier' && node.callee.name === 'URL' && second?.type === 'MemberExpression';
      if (
        isUrl &&
        second.object.type === 'MetaProperty' &&
        first?.type === 'Literal' &&
        typeof first.value === 'string' &&
        !first.value.endsWith('/')
      ) {
        add(first.value, false, node.start);
      }
    },
  }).visit(parsed.program);
  return { imports, starExports, broken: null };
}
