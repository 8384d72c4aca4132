import path from 'node:path';
import { findCycles, reach } from './find-cycles.ts';
import { readImports, type Import } from './read-imports.ts';
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
