import type { TSSignature, TSType } from 'oxc-parser';
import { keyName } from '../syntax-nodes.ts';
import { docBefore } from './doc-comment.ts';
import { keywordsFor } from './doc-properties.ts';
import { ANY, objectOf, propertiesOf, withoutOptional } from './schema-node.ts';
import type { ObjectProperty, SchemaNode } from './schema-node.ts';
import type { TypeScope, TypeWork } from './type-work.ts';
import { namePattern, recordOf } from './utility-types.ts';

/** Members of an interface or object type. */
export async function readMembers(work: TypeWork, members: readonly TSSignature[], scope: TypeScope): Promise<SchemaNode> {
  const properties: ObjectProperty[] = [];
  const signatures: IndexSignature[] = [];
  for (const member of members) {
    if (member.type === 'TSIndexSignature') {
      const key = member.parameters[0]?.typeAnnotation?.typeAnnotation;
      const keys = key === undefined ? ANY : await work.read(key, scope);
      signatures.push({ keys, value: await work.read(member.typeAnnotation.typeAnnotation, scope) });
      continue;
    }
    if (member.type !== 'TSPropertySignature') throw work.fault(member, scope, 'is a function, which JSON does not support');
    const name = member.computed ? null : keyName(member.key);
    if (name === null)
      throw work.fault(member, scope, 'has a name that only a compiler can evaluate', 'Write the name of the property out.');
    const schema = member.typeAnnotation === null ? ANY : await work.read(member.typeAnnotation.typeAnnotation, scope);
    const keywords = scope.fixedOffset === null ? keywordsFor(docBefore(scope.module, member.start), schema) : {};
    properties.push({ name, schema: { ...schema, ...keywords }, isRequired: !member.optional && keywords['default'] === undefined });
  }
  return withSignatures(properties, signatures);
}

interface IndexSignature {
  readonly keys: SchemaNode;
  readonly value: SchemaNode;
}

/** Keys of a template literal type have their own value type beside the declared properties. */
function withSignatures(properties: readonly ObjectProperty[], signatures: readonly IndexSignature[]): SchemaNode {
  const [only] = signatures;
  if (only !== undefined && signatures.length === 1 && properties.length === 0) return recordOf(only.keys, () => only.value);
  const patterns = new Map<string, SchemaNode>();
  let rest: SchemaNode | false = false;
  for (const { keys, value } of signatures) {
    const pattern = namePattern(keys);
    const before = pattern === null ? undefined : patterns.get(pattern);
    if (pattern === null) rest = value;
    else patterns.set(pattern, before === undefined ? value : { allOf: [before, value] });
  }
  const object = objectOf(properties, rest);
  return patterns.size === 0 ? object : { ...object, patternProperties: Object.fromEntries(patterns) };
}

/** `{ [K in Keys]: … }`. */
export async function readMapped(work: TypeWork, node: Extract<TSType, { type: 'TSMappedType' }>, scope: TypeScope): Promise<SchemaNode> {
  if (node.nameType !== null)
    throw work.fault(node, scope, 'renames its keys, which only a compiler can evaluate', 'Write the properties out.');
  const { constraint } = node;
  const keys = await work.read(constraint, scope);
  const names = recordOf(keys, (key) => key);
  const read = (key: SchemaNode): Promise<SchemaNode> =>
    node.typeAnnotation === null
      ? Promise.resolve(ANY)
      : work.read(node.typeAnnotation, { ...scope, parameters: new Map([...scope.parameters, [node.key.name, key]]) });
  const values = new Map<string, SchemaNode>();
  for (const key of Object.values(names.properties ?? {})) values.set(JSON.stringify(key), await read(key));
  const other = values.size === 0 ? await read(keys) : ANY;
  // Over `keyof T`, optional properties of `T` stay optional.
  const isOver = constraint.type === 'TSTypeOperator' && constraint.operator === 'keyof';
  const over = isOver ? work.resolve(await work.read(constraint.typeAnnotation, scope), constraint, scope) : null;
  const optional = new Set(over === null ? [] : propertiesOf(over).flatMap(({ name, isRequired }) => (isRequired ? [] : [name])));
  const isRequired = (name: string): boolean => (node.optional === '-' ? true : node.optional === false && !optional.has(name));
  const valueFor = (key: SchemaNode): SchemaNode => values.get(JSON.stringify(key)) ?? other;
  return recordOf(keys, node.optional === '-' ? (key) => withoutOptional(valueFor(key)) : valueFor, isRequired);
}
