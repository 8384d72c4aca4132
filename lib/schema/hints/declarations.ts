import type {
  Class,
  Expression,
  Function as FunctionNode,
  Node,
  Program,
  TSEnumDeclaration,
  TSInterfaceDeclaration,
  TSTypeAliasDeclaration,
} from 'oxc-parser';
import { docBefore, NO_DOC, parseDoc, splitType } from './doc-comment.ts';
import type { DocComment } from './doc-comment.ts';
import { HintFault } from './module-text.ts';
import type { ModuleText } from './module-text.ts';
import { parseSource } from '../parse-source.ts';

/** Reads the file of a relative specifier; limited and cached by the caller. */
export interface ModuleSource {
  read(specifier: string, from: ModuleText): Promise<ModuleRead>;
}

export type ModuleRead =
  | { readonly ok: true; readonly module: ModuleText }
  /** `missing`: absolute paths, one of which would resolve the import. `unreadable`: offset of the first invalid byte. */
  | {
      readonly ok: false;
      readonly message: string;
      readonly hint?: string;
      readonly missing: readonly string[];
      readonly unreadable?: { readonly module: ModuleText; readonly offset: number };
    };

/** Declaration of a name and its module. `statement`: the statement that a doc comment precedes. */
export type Declaration = { readonly module: ModuleText; readonly statement: Node } & (
  | { readonly kind: 'interface'; readonly parts: readonly TSInterfaceDeclaration[] }
  | { readonly kind: 'alias'; readonly node: TSTypeAliasDeclaration }
  | { readonly kind: 'enum'; readonly node: TSEnumDeclaration }
  | { readonly kind: 'class'; readonly node: Class }
  | { readonly kind: 'function'; readonly node: FunctionNode; readonly type?: TypeDeclaration }
  | { readonly kind: 'constant'; readonly node: VariableDeclarator; readonly type?: TypeDeclaration }
  | { readonly kind: 'expression'; readonly node: Expression }
);

/** Of the same name as a value: `const Mode = { … } as const; type Mode = …`. */
type TypeDeclaration = Extract<Declaration, { kind: 'interface' | 'alias' }>;

export type VariableDeclarator = Extract<Node, { type: 'VariableDeclarator' }>;

/** `@typedef {Object} Name` with `@property` lines, or `@typedef {type} Name`. */
export interface Typedef {
  readonly doc: DocComment;
  readonly type: string | null;
}

type ObjectProperty = Extract<Node, { type: 'Property'; value: Expression }>;

export type Found =
  | Declaration
  | { readonly kind: 'namespace'; readonly module: ModuleText }
  /** In a comment of a JavaScript file. */
  | { readonly kind: 'typedef'; readonly module: ModuleText; readonly name: string; readonly typedef: Typedef }
  /** From a package; `name` is its name there. */
  | { readonly kind: 'outside'; readonly specifier: string; readonly name: string };

const STEPS_MOST = 50;

/** Resolves a name in a module; follows relative imports and re-exports. Null if undeclared. */
export async function findDeclaration(source: ModuleSource, module: ModuleText, name: string, steps = 0): Promise<Found | null> {
  if (steps > STEPS_MOST) return null;
  const own = findOwn(module, name) ?? findNamespace(module, name);
  if (own !== null) return own;
  if (module.outer !== undefined) return findDeclaration(source, module.outer, name, steps + 1);
  for (const statement of [...module.body, ...docImports(module)]) {
    if (statement.type !== 'ImportDeclaration') continue;
    for (const specifier of statement.specifiers) {
      if (specifier.local.name !== name) continue;
      const from = statement.source;
      const imported =
        specifier.type === 'ImportSpecifier'
          ? exportName(specifier.imported)
          : specifier.type === 'ImportDefaultSpecifier'
            ? 'default'
            : '*';
      if (!isRelative(from.value)) return { kind: 'outside', specifier: from.value, name: imported };
      const target = await readModule(source, module, from.value, from.start);
      if (imported === '*') return { kind: 'namespace', module: target };
      return findExported(source, target, imported, steps + 1);
    }
  }
  return findTypedef(module, name);
}

/** `@import { Place } from './types.ts'` in a comment of a JavaScript file. */
function docImports(module: ModuleText): Program['body'] {
  return commentsWith(module, '@import').flatMap(({ tags }) =>
    tags.flatMap(({ name, text }) => (name === 'import' ? (parseSource('doc.ts', `import ${text}`)?.program.body ?? []) : [])),
  );
}

function findTypedef(module: ModuleText, name: string): Extract<Found, { kind: 'typedef' }> | null {
  for (const doc of commentsWith(module, '@typedef')) {
    for (const tag of doc.tags) {
      const { type, rest } = splitType(tag.text);
      if (tag.name === 'typedef' && /^[\w$]+/.exec(rest)?.[0] === name) return { kind: 'typedef', module, name, typedef: { doc, type } };
    }
  }
  return null;
}

function commentsWith({ comments, isJavaScript }: ModuleText, tag: string): readonly DocComment[] {
  const found = isJavaScript ? comments.filter(({ type, value }) => type === 'Block' && value.includes(tag)) : [];
  return found.map(({ value, start }) => parseDoc(value, start));
}

export async function findExported(source: ModuleSource, module: ModuleText, name: string, steps = 0): Promise<Found | null> {
  if (steps > STEPS_MOST) return null;
  for (const statement of module.body) {
    if (statement.type === 'ExportNamedDeclaration') {
      if (statement.declaration !== null && namesOf(statement.declaration).includes(name))
        return findOwn(module, name) ?? findNamespace(module, name);
      for (const specifier of statement.specifiers) {
        if (exportName(specifier.exported) !== name) continue;
        const local = exportName(specifier.local);
        if (statement.source === null) return findDeclaration(source, module, local, steps + 1);
        if (!isRelative(statement.source.value)) return { kind: 'outside', specifier: statement.source.value, name: local };
        return findExported(source, await readModule(source, module, statement.source.value, statement.source.start), local, steps + 1);
      }
    }
    if (statement.type === 'ExportDefaultDeclaration' && name === 'default') {
      const { declaration } = statement;
      if (declaration.type === 'Identifier') return findDeclaration(source, module, declaration.name, steps + 1);
      if (declaration.type === 'TSInterfaceDeclaration') return { kind: 'interface', parts: [declaration], module, statement };
      if (declaration.type === 'FunctionDeclaration') return { kind: 'function', node: declaration, module, statement };
      if (declaration.type === 'ArrowFunctionExpression' || declaration.type === 'TSSatisfiesExpression')
        return { kind: 'expression', node: declaration, module, statement };
    }
  }
  for (const statement of module.body) {
    if (statement.type !== 'ExportAllDeclaration' || !isRelative(statement.source.value)) continue;
    const target = await readModule(source, module, statement.source.value, statement.source.start);
    if (statement.exported !== null) {
      if (exportName(statement.exported) === name) return { kind: 'namespace', module: target };
      continue;
    }
    const found = name === 'default' ? null : await findExported(source, target, name, steps + 1);
    if (found !== null) return found;
  }
  return findAssigned(module, name) ?? findTypedef(module, name);
}

function findOwn(module: ModuleText, name: string): Declaration | null {
  const interfaces: TSInterfaceDeclaration[] = [];
  let first: Node | null = null;
  let overload: Node | null = null;
  let alias: TypeDeclaration | null = null;
  let value: Extract<Declaration, { kind: 'function' | 'constant' }> | null = null;
  for (const statement of module.body) {
    const isExport = statement.type === 'ExportNamedDeclaration' || statement.type === 'ExportDefaultDeclaration';
    const declared = isExport ? statement.declaration : statement;
    if (declared === null || !namesOf(declared).includes(name)) continue;
    const place = { module, statement };
    if (declared.type === 'TSInterfaceDeclaration') {
      interfaces.push(declared);
      first ??= statement;
    } else if (declared.type === 'TSTypeAliasDeclaration') alias ??= { kind: 'alias', node: declared, ...place };
    else if (declared.type === 'TSEnumDeclaration') return { kind: 'enum', node: declared, ...place };
    else if (declared.type === 'ClassDeclaration') return { kind: 'class', node: declared, ...place };
    else if (declared.type === 'TSDeclareFunction') overload = describedOf(module, overload, statement);
    else if (declared.type === 'FunctionDeclaration')
      value ??= { kind: 'function', node: declared, module, statement: describedOf(module, overload, statement) };
    else if (declared.type === 'VariableDeclaration') {
      const node = declared.declarations.find(({ id }) => id.type === 'Identifier' && id.name === name);
      if (node !== undefined) value ??= { kind: 'constant', node, ...place };
    }
  }
  const type = first === null ? alias : { kind: 'interface' as const, parts: interfaces, module, statement: first };
  return value === null || type === null ? (value ?? type) : { ...value, type };
}

/** The type that a name stands for, where a value has the same name. */
export function typeNamed(found: Found | null, name: string): Found | null {
  return found?.kind === 'constant' || found?.kind === 'function' ? (found.type ?? findTypedef(found.module, name) ?? found) : found;
}

/** The first overload with a doc comment. */
function describedOf(module: ModuleText, before: Node | null, statement: Node): Node {
  return before !== null && docBefore(module, before.start) !== NO_DOC ? before : statement;
}

/** `namespace Shapes { … }` as a nested module. */
function findNamespace(module: ModuleText, name: string): Found | null {
  const body = module.body.flatMap((statement) => {
    const declared = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement;
    if (declared?.type !== 'TSModuleDeclaration' || declared.id.type !== 'Identifier' || declared.id.name !== name) return [];
    return declared.body?.body ?? [];
  });
  return body.length === 0 ? null : { kind: 'namespace', module: { ...module, body, outer: module } };
}

function namesOf(declared: Node): readonly string[] {
  if (declared.type === 'VariableDeclaration')
    return declared.declarations.flatMap(({ id }) => (id.type === 'Identifier' ? [id.name] : []));
  if (
    declared.type === 'TSInterfaceDeclaration' ||
    declared.type === 'TSTypeAliasDeclaration' ||
    declared.type === 'TSEnumDeclaration' ||
    declared.type === 'ClassDeclaration' ||
    declared.type === 'FunctionDeclaration' ||
    declared.type === 'TSDeclareFunction'
  )
    return declared.id === null ? [] : [declared.id.name];
  if (declared.type === 'TSModuleDeclaration') return declared.id.type === 'Identifier' ? [declared.id.name] : [];
  return [];
}

/** CommonJS: `exports.run = …`, `module.exports.run = …`, `module.exports = { run }`. */
function findAssigned(module: ModuleText, name: string): Declaration | null {
  for (const statement of module.body) {
    if (statement.type !== 'ExpressionStatement' || statement.expression.type !== 'AssignmentExpression') continue;
    const { left, right } = statement.expression;
    const target = module.source.slice(left.start, left.end).replace(/\s+/g, '');
    const isNamed = target === `exports.${name}` || target === `module.exports.${name}`;
    const property = target === 'module.exports' && right.type === 'ObjectExpression' ? propertyOf(right, name) : null;
    const value = isNamed ? right : property?.value;
    if (value === undefined) continue;
    const own = value.type === 'Identifier' ? findOwn(module, value.name) : null;
    const isDescribed = property !== null && docBefore(module, property.start) !== NO_DOC;
    return own ?? { kind: 'expression', node: value, module, statement: isDescribed ? property : statement };
  }
  return null;
}

function propertyOf(object: Extract<Expression, { type: 'ObjectExpression' }>, name: string): ObjectProperty | null {
  const property = object.properties.findLast(
    (one) => one.type === 'Property' && !one.computed && one.key.type === 'Identifier' && one.key.name === name,
  );
  return property?.type === 'Property' ? property : null;
}

async function readModule(source: ModuleSource, from: ModuleText, specifier: string, offset: number): Promise<ModuleText> {
  const read = await source.read(specifier, from);
  const at = { module: from, offset };
  if (!read.ok)
    throw new HintFault(
      read.unreadable === undefined ? 'import_unresolved' : 'unreadable',
      read.message,
      read.hint ?? 'Check the spelling and the folder it is looked for in; when the file appears, Switchboard retries automatically.',
      read.unreadable ?? at,
      read.missing,
    );
  const { module } = read;
  if (module.error !== null)
    throw new HintFault(
      'syntax_error',
      `${module.error.message}.`.replace(/\.\.$/, '.'),
      'Fix the syntax at the marked location and save.',
      {
        module,
        offset: module.error.offset,
      },
    );
  return module;
}

/** A type named by `import('./types.ts')`. */
export async function findImported(
  source: ModuleSource,
  from: ModuleText,
  specifier: string,
  name: string,
  offset: number,
): Promise<Found | null> {
  if (!isRelative(specifier)) return { kind: 'outside', specifier, name };
  return findExported(source, await readModule(source, from, specifier, offset), name);
}

export function isRelative(specifier: string): boolean {
  return /^\.{1,2}(?:\/|$)/.test(specifier);
}

function exportName(node: { readonly type: string; readonly name?: string; readonly value?: unknown }): string {
  return node.name ?? String(node.value);
}
