import type { Expression, TSTupleType, TSType } from 'oxc-parser';
import { keyName } from '../syntax-nodes.ts';
import { createConstantReader, isReassigned } from './constant-values.ts';
import type { ConstantReader } from './constant-values.ts';
import { findDeclaration, typeNamed } from './declarations.ts';
import type { Declaration, ModuleSource } from './declarations.ts';
import { docBefore } from './doc-comment.ts';
import type { DocTag } from './doc-comment.ts';
import { HintFault } from './module-text.ts';
import { createNamedTypes, memberPath } from './named-types.ts';
import { readMapped, readMembers } from './object-types.ts';
import { ANY, ANY_KIND, isAny, literal, NEVER, NULL, objectOf, propertiesOf, UNDEFINED, union, withoutOptional } from './schema-node.ts';
import type { ObjectProperty, SchemaNode } from './schema-node.ts';
import { indexed, intersection, isObjectSchema, keysOf, listOf, pattern, schemaOfValue, tuple } from './type-operators.ts';
import { CONDITION, JSON_HINT } from './type-work.ts';
import type { TypeScope, TypeWork } from './type-work.ts';

/**
 * Turns parsed types into JSON Schema, without a compiler.
 *
 * What can go wrong:
 * - JSON cannot represent the type, or only a compiler could resolve it: a fault with parameter, type and location;
 * - the type is recursive: repeated uses become references into `$defs`;
 * - the type grows endlessly, directly or by generics: depth and number of types are limited.
 */
export interface TypeReader extends TypeWork {
  /** Type of an expression as TypeScript infers it; null if only running the code shows it. */
  readValue(node: Expression, scope: TypeScope, isLiteral: boolean): Promise<SchemaNode | null>;
  /** Recursive types by name. */
  definitions(): ReadonlyMap<string, SchemaNode>;
}

const DEPTH_MOST = 64;
const TYPES_MOST = 5_000;
const TEXT_MOST = 80;

export function createTypeReader(source: ModuleSource): TypeReader {
  const constants: ConstantReader = createConstantReader(source);
  let depth = 0;
  let count = 0;

  const work: TypeWork = {
    source,
    constants,
    async read(node, scope) {
      depth += 1;
      count += 1;
      try {
        if (depth > DEPTH_MOST || count > TYPES_MOST)
          throw work.fault(
            node,
            scope,
            'grows endlessly, or is too large for a form',
            'Make the type smaller, or take `unknown` there and check it inside.',
          );
        return await readNode(node, scope);
      } finally {
        depth -= 1;
      }
    },
    async readAll(nodes, scope) {
      const schemas: SchemaNode[] = [];
      for (const node of nodes) schemas.push(await work.read(node, scope));
      return schemas;
    },
    resolve(schema, node, scope) {
      if (schema.$ref === undefined) return schema;
      const name = schema.$ref.slice('#/$defs/'.length);
      const found = named.definitions().get(name);
      if (found === undefined)
        throw work.fault(node, scope, `reads a part of ${name} within ${name} itself`, 'Declare this inner part as a separate type.');
      return found;
    },
    fault(node, scope, why, given = JSON_HINT) {
      const isContext = /^(?:ctx|context)$/i.test(scope.subject) && !given.includes('ToolContext');
      const hint = isContext ? `${given} For the context of the call, put \`${scope.subject}: ToolContext\` last.` : given;
      const text = scope.text.slice(node.start, node.end).replace(/\s+/g, ' ');
      const shown = text.length > TEXT_MOST ? `${text.slice(0, TEXT_MOST - 1)}…` : text;
      return new HintFault('type_unsupported', `The parameter "${scope.subject}" cannot be offered: its type \`${shown}\` ${why}.`, hint, {
        module: scope.module,
        offset: scope.fixedOffset ?? node.start,
      });
    },
  };
  const named = createNamedTypes(work);

  async function readNode(node: TSType, scope: TypeScope): Promise<SchemaNode> {
    const resolve = (schema: SchemaNode): SchemaNode => work.resolve(schema, node, scope);
    switch (node.type) {
      case 'TSStringKeyword':
        return { type: 'string' };
      case 'TSNumberKeyword':
        return { type: 'number' };
      case 'TSBooleanKeyword':
        return { type: 'boolean' };
      case 'TSNullKeyword':
        return NULL;
      case 'TSAnyKeyword':
      case 'TSUnknownKeyword':
      case 'TSJSDocUnknownType':
        return ANY;
      case 'TSObjectKeyword':
        return { [ANY_KIND]: 'object' };
      case 'TSUndefinedKeyword':
      case 'TSVoidKeyword':
        return UNDEFINED;
      case 'TSNeverKeyword':
        return NEVER;
      case 'TSParenthesizedType':
      case 'TSJSDocNonNullableType':
        return work.read(node.typeAnnotation, scope);
      case 'TSJSDocNullableType':
        return union([await work.read(node.typeAnnotation, scope), NULL]);
      case 'TSArrayType':
        return { type: 'array', items: withoutOptional(await work.read(node.elementType, scope)) };
      case 'TSTupleType':
        return readTuple(node, scope);
      case 'TSUnionType':
        return union(await readChoices(node.types, scope));
      case 'TSIntersectionType':
        return intersection(await readParts(node.types, scope), resolve);
      case 'TSLiteralType': {
        const constant = await constants.read(node.literal, scope.module);
        if (constant === null) throw work.fault(node, scope, 'is a value that JSON does not support');
        return literal(constant.value);
      }
      case 'TSTemplateLiteralType': {
        const texts = node.quasis.map((quasi) => quasi.value.cooked ?? '');
        const made = pattern(texts, await work.readAll(node.types, scope));
        if (made === null)
          throw work.fault(node, scope, 'has a part that is neither text nor a number nor a list of such', 'Use `string`.');
        return made;
      }
      case 'TSTypeLiteral':
        return node.members.length === 0 ? { [ANY_KIND]: 'value' } : readMembers(work, node.members, scope);
      case 'TSTypeOperator': {
        if (node.operator === 'unique') throw work.fault(node, scope, 'is a symbol, which JSON does not support');
        const inner = await work.read(node.typeAnnotation, scope);
        return node.operator === 'keyof' ? keysOf(inner, resolve) : inner;
      }
      case 'TSIndexedAccessType': {
        const found = indexed(await work.read(node.objectType, scope), await work.read(node.indexType, scope), resolve);
        if (found === null) throw work.fault(node, scope, 'names a missing property', 'Check the spelling of the property.');
        return found;
      }
      case 'TSMappedType':
        return readMapped(work, node, scope);
      case 'TSTypeQuery':
        return readQuery(node, scope);
      case 'TSTypeReference':
        return named.readNamed(memberPath(node.typeName), node.typeArguments, node, scope);
      case 'TSImportType': {
        const path = node.qualifier === null ? [] : memberPath(node.qualifier);
        if (path.length === 0) throw work.fault(node, scope, 'does not name a single type', 'Name one exported type.');
        return named.readImported(node.source.value, path, node.typeArguments, node, scope);
      }
      case 'TSSymbolKeyword':
        throw work.fault(node, scope, 'is a symbol, which JSON does not support');
      case 'TSBigIntKeyword':
        throw work.fault(node, scope, 'is a bigint, which JSON does not support', 'Use a string (or a number) and make the bigint inside.');
      case 'TSFunctionType':
      case 'TSConstructorType':
        throw work.fault(node, scope, 'is a function, which JSON does not support');
      case 'TSConditionalType':
      case 'TSInferType':
        throw work.fault(node, scope, CONDITION, 'Write out the resulting type.');
      case 'TSIntrinsicKeyword':
      case 'TSNamedTupleMember':
      case 'TSThisType':
      case 'TSTypePredicate':
        throw work.fault(node, scope, 'is not a type that a form supports');
    }
  }

  /** In a union, a named type gets its name as title. */
  async function readChoices(nodes: readonly TSType[], scope: TypeScope): Promise<readonly SchemaNode[]> {
    const schemas: SchemaNode[] = [];
    for (const node of nodes) {
      const schema = await work.read(node, scope);
      const name = node.type === 'TSTypeReference' && node.typeName.type === 'Identifier' ? node.typeName.name : null;
      schemas.push(name !== null && isObjectSchema(schema) && !scope.parameters.has(name) ? { title: name, ...schema } : schema);
    }
    return schemas;
  }

  async function readTuple(node: TSTupleType, scope: TypeScope): Promise<SchemaNode> {
    const schema = await tuple(
      node,
      (one) => work.read(one, scope),
      (one) => work.resolve(one, node, scope),
    );
    if (schema !== null) return schema;
    const hint = 'Put the rest last, spread only lists, or use a list of a union.';
    throw work.fault(node, scope, 'has a spread that no JSON Schema can express', hint);
  }

  /** Members of an intersection. One that JSON does not support, such as a symbol, may mark a text, a number or a list. */
  async function readParts(nodes: readonly TSType[], scope: TypeScope): Promise<readonly SchemaNode[]> {
    const schemas: SchemaNode[] = [];
    let fault: HintFault | null = null;
    for (const node of nodes) {
      try {
        schemas.push(await work.read(node, scope));
      } catch (error) {
        if (!(error instanceof HintFault) || error.code !== 'type_unsupported' || !(await isMark(node, scope))) throw error;
        fault ??= error;
      }
    }
    const isMarked = (schema: SchemaNode): boolean => schema.anyOf?.every(isMarked) ?? (!isAny(schema) && schema.type !== 'object');
    if (fault !== null && !schemas.some((schema) => schema.$ref === undefined && isMarked(schema))) throw fault;
    return schemas;
  }

  async function isMark(node: TSType, scope: TypeScope): Promise<boolean> {
    if (node.type !== 'TSTypeReference') return node.type === 'TSTypeLiteral';
    const [name = ''] = memberPath(node.typeName);
    const found = typeNamed(await findDeclaration(source, scope.module, name), name);
    return found?.kind === 'alias' || found?.kind === 'interface';
  }

  /** `typeof X`. */
  async function readQuery(node: Extract<TSType, { type: 'TSTypeQuery' }>, scope: TypeScope): Promise<SchemaNode> {
    const [name = '', ...more] = node.exprName.type === 'TSImportType' ? [] : memberPath(node.exprName);
    const found = more.length === 0 ? await findDeclaration(source, scope.module, name) : null;
    if (found?.kind === 'enum') {
      const members = await constants.enumMembers(found.node, found.module);
      if (members !== null) return objectOf([...members].map(([key, value]) => ({ name: key, schema: literal(value), isRequired: true })));
    }
    const schema = found?.kind === 'constant' ? await readConstant(found, scope, true) : null;
    if (schema !== null) return schema;
    throw work.fault(node, scope, 'is not of a constant in the source', 'Write the type out.');
  }

  async function readConstant(
    { node, module, statement }: Extract<Declaration, { kind: 'constant' }>,
    scope: TypeScope,
    isLiteral: boolean,
  ): Promise<SchemaNode | null> {
    const { id, init } = node;
    const inner = { ...scope, module, text: module.source, fixedOffset: null, parameters: new Map() };
    if (id.typeAnnotation != null) return work.read(id.typeAnnotation.typeAnnotation, inner);
    count += 1;
    if (init === null || depth > DEPTH_MOST || count > TYPES_MOST) return null;
    depth += 1;
    try {
      return await readValue(init, inner, isLiteral && !isReassigned(statement));
    } finally {
      depth -= 1;
    }
  }

  /** @param isLiteral a text or number keeps its value as type @param isConst so do those in a list or object: `as const` */
  async function readValue(node: Expression, scope: TypeScope, isLiteral: boolean, isConst = false): Promise<SchemaNode | null> {
    switch (node.type) {
      case 'TSAsExpression':
      case 'TSTypeAssertion':
        return isConstType(node.typeAnnotation) ? readValue(node.expression, scope, true, true) : work.read(node.typeAnnotation, scope);
      case 'TSSatisfiesExpression':
      case 'TSNonNullExpression':
        return readValue(node.expression, scope, isLiteral, isConst);
      case 'ParenthesizedExpression': {
        const isAsserted = scope.module.isJavaScript && docBefore(scope.module, node.start).tags.some(isConstTag);
        return readValue(node.expression, scope, isLiteral || isAsserted, isConst || isAsserted);
      }
      case 'ArrayExpression': {
        const items: SchemaNode[] = [];
        for (const element of node.elements) {
          const isSpread = element?.type === 'SpreadElement';
          const item = element === null ? null : await readValue(isSpread ? element.argument : element, scope, isConst, isConst);
          if (item === null) return null;
          const spread = isSpread ? (item.prefixItems ?? (isConst || typeof item.items !== 'object' ? null : [item.items])) : [item];
          if (spread === null) return null;
          items.push(...spread);
        }
        return listOf(items, isConst);
      }
      case 'ObjectExpression': {
        const properties = new Map<string, ObjectProperty>();
        for (const property of node.properties) {
          const isSpread = property.type === 'SpreadElement';
          const schema = await readValue(isSpread ? property.argument : property.value, scope, isConst, isConst);
          const name = isSpread || property.computed || property.method ? null : keyName(property.key);
          if (schema === null || (isSpread ? schema.type !== 'object' : name === null)) return null;
          const added = name === null ? propertiesOf(schema) : [{ name, schema, isRequired: true }];
          for (const one of added) properties.set(one.name, one);
        }
        return properties.size === 0 && !isConst ? { type: 'object', additionalProperties: true } : objectOf([...properties.values()]);
      }
      case 'Identifier': {
        const found = await findDeclaration(source, scope.module, node.name);
        return found?.kind === 'constant' ? readConstant(found, scope, isLiteral) : null;
      }
      default: {
        const constant = await constants.read(node, scope.module);
        return constant === null ? null : schemaOfValue(constant.value, isLiteral);
      }
    }
  }

  return { ...work, readValue, definitions: named.definitions };
}

function isConstType(type: TSType): boolean {
  return type.type === 'TSTypeReference' && type.typeName.type === 'Identifier' && type.typeName.name === 'const';
}

/** `@type {const}` in JavaScript. */
function isConstTag({ name, text }: DocTag): boolean {
  return name === 'type' && /^\{\s*const\s*\}/.test(text);
}
