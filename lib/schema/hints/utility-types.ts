import { createAssignability, membersOf } from './assignability.ts';
import { ANY, IS_DATE, isAny, literals, literalsOf, NEVER, objectOf, propertiesOf, union, withoutOptional } from './schema-node.ts';
import type { ObjectProperty, SchemaNode } from './schema-node.ts';
import { mapObjects, withProperties } from './type-operators.ts';
import type { Resolve } from './type-operators.ts';

/** A built-in generic type. Null: its arguments are invalid. */
type BuiltInType = (given: readonly SchemaNode[], resolve: Resolve) => SchemaNode | null;

const list: BuiltInType = ([item]) => ({ type: 'array', items: item === undefined ? ANY : withoutOptional(item) });
const same: BuiltInType = ([given]) => given ?? null;

const BUILT_IN: ReadonlyMap<string, BuiltInType> = new Map<string, BuiltInType>([
  ['Array', list],
  ['ReadonlyArray', list],
  ['Readonly', same],
  ['Date', () => ({ type: 'string', format: 'date-time', [IS_DATE]: true })],
  ['Object', () => ANY],
  ['String', () => ({ type: 'string' })],
  ['Number', () => ({ type: 'number' })],
  ['Boolean', () => ({ type: 'boolean' })],
  ['Record', ([keys, value]) => (keys === undefined || value === undefined ? null : recordOf(keys, () => value))],
  ['Partial', (given, resolve) => eachProperty(given, resolve, (property) => ({ ...property, isRequired: false }))],
  [
    'Required',
    (given, resolve) => eachProperty(given, resolve, ({ name, schema }) => ({ name, schema: withoutOptional(schema), isRequired: true })),
  ],
  ['Pick', ([object, keys], resolve) => keep(object, keys, resolve, true)],
  ['Omit', ([object, keys], resolve) => keep(object, keys, resolve, false)],
  ['Exclude', ([from, without], resolve) => sift(from, without, resolve, false)],
  ['Extract', ([from, only], resolve) => sift(from, only, resolve, true)],
  ['NonNullable', ([given]) => (given === undefined ? null : withoutNull(given))],
]);

export function builtInType(name: string): BuiltInType | null {
  return BUILT_IN.get(name) ?? null;
}

/** An object with these keys; open if they are any string. */
export function recordOf(
  keys: SchemaNode,
  valueFor: (key: SchemaNode) => SchemaNode,
  isRequired: (name: string) => boolean = () => true,
): SchemaNode {
  const names = literalsOf(keys);
  if (names !== null) {
    const properties = names.map((name) => ({
      name: String(name),
      schema: valueFor(literals([name])),
      isRequired: isRequired(String(name)),
    }));
    return objectOf(properties);
  }
  const all = objectOf([], valueFor(keys));
  const pattern = namePattern(keys);
  return pattern === null ? all : { ...all, propertyNames: { pattern } };
}

/** Keys of a type; null for any string. */
export function namePattern(keys: SchemaNode): string | null {
  if (keys.type === 'number') return '^-?\\d+(?:\\.\\d+)?$';
  return typeof keys['pattern'] === 'string' ? keys['pattern'] : null;
}

function eachProperty(
  [given]: readonly SchemaNode[],
  resolve: Resolve,
  change: (property: ObjectProperty) => ObjectProperty,
): SchemaNode | null {
  if (given === undefined) return null;
  return mapObjects(given, resolve, (object) => withProperties(object, propertiesOf(object).map(change)));
}

function keep(given: SchemaNode | undefined, keys: SchemaNode | undefined, resolve: Resolve, isKept: boolean): SchemaNode | null {
  const names = keys === undefined ? null : literalsOf(keys);
  if (given === undefined || names === null) return null;
  return mapObjects(given, resolve, (object) => {
    const { description: _, title: __, ...bare } = object;
    return withProperties(
      bare,
      propertiesOf(object).filter(({ name }) => names.includes(name) === isKept),
    );
  });
}

/** Null: only a compiler could decide about one of the members. */
function sift(from: SchemaNode | undefined, by: SchemaNode | undefined, resolve: Resolve, isKept: boolean): SchemaNode | null {
  if (from === undefined || by === undefined) return null;
  if (isAny(from)) return isKept ? null : ANY;
  const isAssignable = createAssignability(resolve);
  const members = membersOf(from, resolve).map((schema) => ({ schema, fits: isAssignable(schema, by) }));
  if (members.some(({ fits }) => fits === null)) return null;
  const kept = members.filter(({ fits }) => fits === isKept);
  return kept.length === members.length ? from : union(kept.map(({ schema }) => schema));
}

function withoutNull(given: SchemaNode): SchemaNode {
  const schema = withoutOptional(given);
  if (schema.anyOf !== undefined) return union(schema.anyOf.filter((member) => member.type !== 'null'));
  const values = schema.enum;
  if (values !== undefined) return literals(values.filter((value) => value !== null));
  const { type } = schema;
  if (typeof type === 'string' || type === undefined) return type === 'null' ? NEVER : schema;
  const [only] = type.filter((one) => one !== 'null');
  return only === undefined ? NEVER : { ...schema, type: only };
}
