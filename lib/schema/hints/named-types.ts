import type { Node, TSTypeParameterDeclaration, TSTypeParameterInstantiation } from 'oxc-parser';
import { findDeclaration, findExported, findImported, typeNamed } from './declarations.ts';
import type { Declaration, Found } from './declarations.ts';
import { docBefore, docProperties, parseDocType } from './doc-comment.ts';
import type { DocParameter } from './doc-comment.ts';
import { keywordsFor, withDocProperties } from './doc-properties.ts';
import { readMembers } from './object-types.ts';
import { ANY, literal, literals, objectOf } from './schema-node.ts';
import type { SchemaNode } from './schema-node.ts';
import { inherited } from './type-operators.ts';
import { CONDITION, JSON_HINT, UNKNOWN_NAME_HINT } from './type-work.ts';
import type { Span, TypeScope, TypeWork } from './type-work.ts';
import { builtInType } from './utility-types.ts';

/** Built-in types that JSON cannot represent, with replacements. */
const FOREIGN: ReadonlyMap<string, string> = new Map([
  ['Map', 'Use `Record<string, …>` and make the Map inside.'],
  ['ReadonlyMap', 'Use `Record<string, …>` and make the Map inside.'],
  ['Set', 'Use a list and make the Set inside.'],
  ['ReadonlySet', 'Use a list and make the Set inside.'],
  ['Promise', 'Arguments are never promises; write the type inside the Promise.'],
  ['RegExp', 'Use a string and make the RegExp inside.'],
  ['URL', 'Use a string and make the URL inside.'],
  ['Buffer', 'Use a string, for example in base64.'],
  ['Uint8Array', 'Use a string in base64, or a list of numbers.'],
  ['ArrayBuffer', 'Use a string in base64.'],
  ['BigInt', 'Use a string (or a number) and make the bigint inside.'],
  ...['Function', 'function', 'Symbol', 'WeakMap', 'WeakSet', 'Error', 'AbortSignal', 'ReadableStream', 'Blob', 'File'].map(
    (name) => [name, JSON_HINT] as const,
  ),
]);

/** Not TypeScript, but usual in doc comments. */
const DOC_WORDS: ReadonlyMap<string, SchemaNode> = new Map([
  ['int', { type: 'integer' }],
  ['integer', { type: 'integer' }],
  ['float', { type: 'number' }],
  ['double', { type: 'number' }],
  ['bool', { type: 'boolean' }],
  ['array', { type: 'array', items: ANY }],
]);

interface Active {
  readonly name: string;
  isRecursive: boolean;
}

/** Types by name: type parameters, declarations here and in relative files, built-in types. */
export function createNamedTypes(work: TypeWork) {
  const active = new Map<string, Active>();
  const definitions = new Map<string, SchemaNode>();
  const finished = new Map<string, string>();

  async function readNamed(
    path: readonly string[],
    given: TSTypeParameterInstantiation | null,
    node: Span,
    scope: TypeScope,
  ): Promise<SchemaNode> {
    const [name = '', member] = path;
    const bound = member === undefined ? scope.parameters.get(name) : undefined;
    if (bound !== undefined) return bound;
    const found = await findDeclaration(work.source, scope.module, name);
    if (member !== undefined) return readMember(found, path, given, node, scope);
    if (found !== null) return readFound(found, name, node, await work.readAll(given?.params ?? [], scope), scope);
    const word = scope.module.isJavaScript ? DOC_WORDS.get(name) : undefined;
    if (word !== undefined) return word;
    const instead = FOREIGN.get(name);
    if (instead !== undefined)
      throw work.fault(node, scope, `is ${/^[AE]/.test(name) ? 'an' : 'a'} ${name}, which JSON does not support`, instead);
    const schemas = await work.readAll(given?.params ?? [], scope);
    const made = builtInType(name)?.(schemas, (schema) => work.resolve(schema, node, scope)) ?? null;
    if (made !== null) return made;
    if (name === 'Exclude' || name === 'Extract') throw work.fault(node, scope, CONDITION, 'Write out the resulting type.');
    if (builtInType(name) !== null)
      throw work.fault(node, scope, `is invalid: ${name} does not accept these types`, 'Write out the intended type.');
    throw work.fault(node, scope, 'is not a known type', UNKNOWN_NAME_HINT);
  }

  /** `types.City`, `Color.Red`. */
  async function readMember(
    owner: Found | null,
    [name = '', member = '', ...more]: readonly string[],
    given: TSTypeParameterInstantiation | null,
    node: Span,
    scope: TypeScope,
  ): Promise<SchemaNode> {
    if (owner?.kind === 'namespace') {
      const found = await findExported(work.source, owner.module, member);
      if (more.length > 0) return readMember(found, [member, ...more], given, node, scope);
      return readFound(found, member, node, await work.readAll(given?.params ?? [], scope), scope);
    }
    if (owner?.kind === 'enum' && more.length === 0) {
      const value = (await work.constants.enumMembers(owner.node, owner.module))?.get(member);
      if (value !== undefined) return literal(value);
    }
    if (owner?.kind === 'outside') return readFound(owner, member, node, [], scope);
    throw work.fault(node, scope, `is not a known type: ${name} has nothing called ${member}`, UNKNOWN_NAME_HINT);
  }

  async function readImported(
    specifier: string,
    path: readonly string[],
    given: TSTypeParameterInstantiation | null,
    node: Span,
    scope: TypeScope,
  ): Promise<SchemaNode> {
    const [name = '', ...more] = path;
    const found = await findImported(work.source, scope.module, specifier, name, scope.fixedOffset ?? node.start);
    if (more.length > 0) return readMember(found, path, given, node, scope);
    return readFound(found, name, node, await work.readAll(given?.params ?? [], scope), scope);
  }

  async function readFound(
    declared: Found | null,
    name: string,
    node: Span,
    given: readonly SchemaNode[],
    scope: TypeScope,
  ): Promise<SchemaNode> {
    const found = typeNamed(declared, name);
    switch (found?.kind) {
      case undefined:
        throw work.fault(node, scope, `is missing: the module exports nothing called ${name}`, UNKNOWN_NAME_HINT);
      case 'interface':
      case 'alias':
        return readDeclaration(found, name, given, scope);
      case 'typedef':
        return readOnce(`${found.module.path}#${name}`, name, () => readTypedef(work, found, node, scope));
      case 'enum': {
        const members = await work.constants.enumMembers(found.node, found.module);
        if (members === null)
          throw work.fault(node, scope, 'is an enum with values known only at run time', 'Give its members plain values.');
        const schema = literals([...members.values()]);
        return { ...schema, ...keywordsFor(docBefore(found.module, found.statement.start), schema) };
      }
      case 'outside': {
        const isContext = found.specifier === 'switchboard' && found.name === 'ToolContext';
        throw isContext
          ? work.fault(node, scope, 'is the context of the call, which is passed as the last parameter', 'Put `ctx: ToolContext` last.')
          : work.fault(
              node,
              scope,
              `comes from the package "${found.specifier}", and types of packages are not read`,
              'Declare what you need of it in this file, or take `unknown` and check it inside.',
            );
      }
      case 'class':
        throw work.fault(
          node,
          scope,
          'is a class; JSON contains data, not instances',
          'Use an interface with the same fields and make the instance inside.',
        );
      case 'constant':
      case 'namespace':
      case 'function':
      case 'expression': {
        const values = found.kind === 'constant' ? await valuesOfEnum(found) : null;
        if (values !== null) return values;
        throw work.fault(node, scope, 'is a value, not a type', `Write \`typeof ${name}\`, or declare a type.`);
      }
    }
  }

  /** `@enum` in JavaScript: the type is that of the values. */
  async function valuesOfEnum({ node, module, statement }: Extract<Declaration, { kind: 'constant' }>): Promise<SchemaNode | null> {
    const isEnum = module.isJavaScript && docBefore(module, statement.start).tags.some((tag) => tag.name === 'enum');
    const value = isEnum && node.init !== null ? (await work.constants.read(node.init, module))?.value : null;
    return typeof value === 'object' && value !== null ? literals(Object.values(value)) : null;
  }

  /** An interface or alias. */
  async function readDeclaration(
    found: Extract<Declaration, { kind: 'interface' | 'alias' }>,
    name: string,
    given: readonly SchemaNode[],
    scope: TypeScope,
  ): Promise<SchemaNode> {
    const key = `${found.module.path}#${found.statement.start}<${given.map((one) => JSON.stringify(one)).join()}>`;
    return readOnce(key, name, async () => {
      const inner = { ...scope, module: found.module, text: found.module.source, fixedOffset: null, parameters: new Map() };
      const schema = found.kind === 'alias' ? await readAlias(found, given, inner) : await readInterface(found, given, inner);
      return { ...schema, ...keywordsFor(docBefore(found.module, found.statement.start), schema) };
    });
  }

  /** A recursive use becomes a reference. */
  async function readOnce(key: string, name: string, read: () => Promise<SchemaNode>): Promise<SchemaNode> {
    const known = finished.get(key);
    if (known !== undefined) return { $ref: referenceTo(known) };
    const again = active.get(key);
    if (again !== undefined) {
      again.isRecursive = true;
      return { $ref: referenceTo(again.name) };
    }
    const self: Active = { name: freeName(name), isRecursive: false };
    active.set(key, self);
    try {
      const described = await read();
      if (!self.isRecursive) return described;
      definitions.set(self.name, described);
      finished.set(key, self.name);
      return { $ref: referenceTo(self.name) };
    } finally {
      active.delete(key);
    }
  }

  function freeName(name: string): string {
    const taken = new Set([...definitions.keys(), ...[...active.values()].map((one) => one.name)]);
    let free = name;
    for (let number = 2; taken.has(free); number += 1) free = `${name}${number}`;
    return free;
  }

  async function readAlias(
    { node }: Extract<Declaration, { kind: 'alias' }>,
    given: readonly SchemaNode[],
    scope: TypeScope,
  ): Promise<SchemaNode> {
    return work.read(node.typeAnnotation, await withTypeParameters(work, node.typeParameters, given, scope));
  }

  async function readInterface(
    { parts }: Extract<Declaration, { kind: 'interface' }>,
    given: readonly SchemaNode[],
    scope: TypeScope,
  ): Promise<SchemaNode> {
    const schemas: SchemaNode[] = [];
    for (const part of parts) {
      const own = await withTypeParameters(work, part.typeParameters, given, scope);
      for (const base of part.extends) {
        const schema = work.resolve(await readNamed(memberPath(base.expression), base.typeArguments, base, own), base, own);
        if (schema.type !== 'object') throw work.fault(base, own, 'is not an object and cannot be extended', 'Write its properties out.');
        schemas.push(schema);
      }
      schemas.push(await readMembers(work, part.body.body, own));
    }
    return inherited(schemas);
  }

  return { readNamed, readImported, definitions: (): ReadonlyMap<string, SchemaNode> => definitions };
}

function referenceTo(name: string): string {
  return `#/$defs/${name}`;
}

/** `a.b` as its parts. */
export function memberPath(node: Node): readonly string[] {
  if (node.type === 'Identifier') return [node.name];
  if (node.type === 'TSQualifiedName') return [...memberPath(node.left), node.right.name];
  if (node.type === 'MemberExpression' && node.property.type === 'Identifier') return [...memberPath(node.object), node.property.name];
  return [];
}

/** Binds type parameters: the argument, else the default, else the constraint, else any. */
export async function withTypeParameters(
  work: TypeWork,
  declared: TSTypeParameterDeclaration | null | undefined,
  given: readonly SchemaNode[],
  scope: TypeScope,
): Promise<TypeScope> {
  let inner = scope;
  for (const [index, { name, default: otherwise, constraint }] of (declared?.params ?? []).entries()) {
    const fallback = otherwise ?? constraint;
    const schema = given[index] ?? (fallback === null ? ANY : await work.read(fallback, inner));
    inner = { ...inner, parameters: new Map([...inner.parameters, [name.name, schema]]) };
  }
  return inner;
}

/** A type declared in a JavaScript comment. */
async function readTypedef(
  work: TypeWork,
  { module, typedef: { doc, type: written } }: Extract<Found, { kind: 'typedef' }>,
  node: Span,
  scope: TypeScope,
): Promise<SchemaNode> {
  const described = doc.text === '' ? {} : { description: doc.text };
  const read = (type: string): Promise<SchemaNode> => {
    const parsed = parseDocType(type);
    if (parsed === null)
      throw work.fault(node, scope, `is declared as \`${type}\`, which cannot be read`, 'Write the type as in TypeScript.');
    return work.read(parsed.node, { ...scope, module, text: parsed.text, fixedOffset: doc.offset, parameters: new Map() });
  };
  const parts = docProperties(doc);
  if (written !== null && (parts.length === 0 || !/^object$/i.test(written))) return { ...(await read(written)), ...described };
  const readPart = ({ type }: DocParameter): Promise<SchemaNode | null> => (type === null ? Promise.resolve(null) : read(type));
  const object = parts.length === 0 ? objectOf([]) : await withDocProperties(ANY, '', parts, readPart);
  return { ...object, ...described };
}
