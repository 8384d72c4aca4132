import path from 'node:path';
import { parseSync, Visitor } from 'oxc-parser';
import { FILES_CHECKED, MODULES, NAMES_REFUSED, PACKAGES_FOR_ALL, type Module } from './modules.ts';

/**
 * Checks the import rules against the sources. `sources`: path from the root, with forward slashes → text; other files
 * (styles, JSON) have an empty text. Returns one line per violation, ordered by path.
 */
export function findImportViolations(sources: ReadonlyMap<string, string>, modules: readonly Module[] = MODULES): readonly string[] {
  const violations: string[] = [];
  const all = new Map<string, string[]>();
  const running = new Map<string, string[]>();
  const moduleOf = (file: string) => modules.find((owner) => owner.files.test(file));
  const files = [...sources.keys()].filter((file) => FILES_CHECKED.test(file)).toSorted();

  for (const file of files) {
    const owner = moduleOf(file);
    all.set(file, []);
    running.set(file, []);
    if (owner === undefined) {
      violations.push(`${file} belongs to no module. Move it, or add its module to bin/check/modules.ts.`);
      continue;
    }
    const isTest = owner.modules.includes('*');
    if (!isTest && NAMES_REFUSED.test(file)) violations.push(`${file} has a generic name. Name the file after its content.`);
    const { imports, starExports, broken } = readImports(file, sources.get(file) ?? '');
    if (broken !== null && !file.includes('/fixtures/')) violations.push(`${file} cannot be read: ${broken}`);
    if (!isTest) for (const line of starExports) violations.push(`${file}:${line} uses \`export *\`. Name the exports.`);
    for (const one of imports) {
      const target = resolve(file, one.specifier, sources);
      if (target.kind === 'file') {
        all.get(file)?.push(target.file);
        if (!one.types) running.get(file)?.push(target.file);
      }
      const violation = isTest ? null : violationOf(owner, target, one, moduleOf);
      if (violation !== null) violations.push(`${file}:${one.line} ${violation}`);
    }
  }

  for (const round of findCycles(running)) violations.push(`${round[0]} is in an import cycle: ${round.join(' → ')}`);
  const entries = files.filter((file) => moduleOf(file)?.entries?.test(file));
  const reached = reach(entries, all);
  for (const file of files) {
    const owner = moduleOf(file);
    if (owner === undefined || owner.modules.includes('*') || reached.has(file)) continue;
    violations.push(`${file} is unreachable. Import it, delete it, or add it to the entries of its module.`);
  }
  return violations;
}

type Target =
  | { readonly kind: 'file'; readonly file: string }
  | { readonly kind: 'package'; readonly name: string }
  | { readonly kind: 'node' }
  | { readonly kind: 'missing' };

function resolve(from: string, specifier: string, sources: ReadonlyMap<string, string>): Target {
  if (specifier.startsWith('node:')) return { kind: 'node' };
  if (specifier.startsWith('.')) return fileTarget(path.posix.join(path.posix.dirname(from), specifier), sources);
  if (specifier.startsWith('#')) return fileTarget(specifier.slice(1), sources);
  const parts = specifier.split('/');
  return { kind: 'package', name: specifier.startsWith('@') ? parts.slice(0, 2).join('/') : (parts[0] ?? specifier) };
}

function fileTarget(file: string, sources: ReadonlyMap<string, string>): Target {
  return sources.has(file) ? { kind: 'file', file } : { kind: 'missing' };
}

function violationOf(owner: Module, target: Target, one: Import, moduleOf: (file: string) => Module | undefined): string | null {
  if (target.kind === 'missing') return `imports ${one.specifier}, which does not exist.`;
  if (target.kind === 'node') return owner.node ? null : `imports ${one.specifier}, but ${owner.name} also runs without Node.`;
  if (target.kind === 'package') {
    if ([...owner.packages, ...PACKAGES_FOR_ALL].some((name) => name === '*' || name === target.name)) return null;
    return `imports the package ${target.name}, which bin/check/modules.ts does not list for ${owner.name}.`;
  }
  const other = moduleOf(target.file);
  if (other === undefined || other.name === owner.name || !FILES_CHECKED.test(target.file)) return null;
  if (owner.modules.includes(other.name)) return null;
  if (!owner.modules.includes(`${other.name} (types)`)) {
    const allowed = owner.modules.length === 0 ? 'no other module' : owner.modules.join(', ');
    return `imports ${one.specifier}, but ${owner.name} may not import ${other.name} (only ${allowed}).`;
  }
  return one.types
    ? null
    : `imports a value from ${one.specifier}, but ${owner.name} may import only types of ${other.name}: use \`import type\`.`;
}

/** First import of a module in a file. `types`: erased at run time. */
interface Import {
  readonly specifier: string;
  readonly types: boolean;
  readonly line: number;
}

interface FileImports {
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
function readImports(file: string, source: string): FileImports {
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

/** Import cycles (Tarjan), each as the shortest cycle from its first file. */
function findCycles(graph: ReadonlyMap<string, readonly string[]>): readonly (readonly string[])[] {
  const order = new Map<string, { index: number; low: number }>();
  const stack: string[] = [];
  const groups: string[][] = [];

  const visit = (file: string): { index: number; low: number } => {
    const own = { index: order.size, low: order.size };
    order.set(file, own);
    stack.push(file);
    for (const next of graph.get(file) ?? []) {
      const seen = order.get(next);
      if (seen === undefined) own.low = Math.min(own.low, visit(next).low);
      else if (stack.includes(next)) own.low = Math.min(own.low, seen.index);
    }
    if (own.low === own.index) groups.push(stack.splice(stack.indexOf(file)));
    return own;
  };
  for (const file of graph.keys()) if (!order.has(file)) visit(file);

  return groups.flatMap((group) => {
    const first = group.toSorted()[0];
    if (first === undefined) return [];
    const round = shortestCycle(first, graph);
    return round === null ? [] : [round];
  });
}

function shortestCycle(start: string, graph: ReadonlyMap<string, readonly string[]>): readonly string[] | null {
  const ways = [[start]];
  const seen = new Set<string>();
  for (let way = ways.shift(); way !== undefined; way = ways.shift()) {
    for (const next of graph.get(way.at(-1) ?? start) ?? []) {
      if (next === start) return [...way, start];
      if (seen.has(next)) continue;
      seen.add(next);
      ways.push([...way, next]);
    }
  }
  return null;
}

/** All files reachable from these, including them. */
function reach(from: readonly string[], graph: ReadonlyMap<string, readonly string[]>): ReadonlySet<string> {
  const reached = new Set(from);
  for (const file of reached) for (const next of graph.get(file) ?? []) reached.add(next);
  return reached;
}
