import {
  ANY,
  IS_DATE,
  isAny,
  literals,
  literalsOf,
  NEVER,
  objectOf,
  propertiesOf,
  union,
  withoutOptional,
  ANY_KIND,
  IS_INEXACT,
  IS_NOTHING,
  IS_OPTIONAL,
  IS_TEMPLATE,
  literal,
  NULL,
  UNDEFINED,
} from './schema-node.ts';
import type { ObjectProperty, SchemaNode } from './schema-node.ts';
import { mapObjects, type Resolve, withProperties } from './type-operators.ts';

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

/** Null: the schemas do not show it; only a compiler could decide. */
type Decision = boolean | null;

const COMPARISONS_MOST = 5_000;

/** Whether TypeScript would assign one type to another, decided on their schemas. */
function createAssignability(resolve: Resolve): (source: SchemaNode, target: SchemaNode) => Decision {
  let count = 0;
  /** A pair of recursive types that is being compared counts as assignable. */
  const active = new Set<string>();

  function isAssignable(source: SchemaNode, target: SchemaNode): Decision {
    count += 1;
    if (count > COMPARISONS_MOST) return null;
    if (source.$ref === undefined && target.$ref === undefined) return ofMembers(membersOf(source, resolve), membersOf(target, resolve));
    if (source.$ref === target.$ref) return true;
    const pair = JSON.stringify([source, target]);
    if (active.has(pair)) return true;
    active.add(pair);
    try {
      return ofMembers(membersOf(source, resolve), membersOf(target, resolve));
    } finally {
      active.delete(pair);
    }
  }

  function ofMembers(sources: readonly SchemaNode[], targets: readonly SchemaNode[]): Decision {
    return every(sources, (source) => {
      const found = some(targets, (target) => ofSingle(source, target));
      return found === false && targets.length > 1 ? ofVariants(source, targets) : found;
    });
  }

  /** `{ kind: 'a' | 'b' }` is assignable to `{ kind: 'a' } | { kind: 'b' }`. */
  function ofVariants(source: SchemaNode, targets: readonly SchemaNode[]): Decision {
    if (source.type !== 'object') return false;
    const [name, variants] =
      propertiesOf(source)
        .map(({ name: one, schema }) => [one, membersOf(schema, resolve)] as const)
        .find(([, members]) => members.length > 1 && members.every((member) => literalsOf(member) !== null || member.type === 'null')) ??
      [];
    if (name === undefined || variants === undefined) return false;
    return every(variants, (variant) => {
      count += 1;
      return count > COMPARISONS_MOST ? null : ofMembers([{ ...source, properties: { ...source.properties, [name]: variant } }], targets);
    });
  }

  function ofSingle(source: SchemaNode, target: SchemaNode): Decision {
    if (isAny(target)) return ofAnyTarget(source, target);
    if (isAny(source)) return null;
    if (source === UNDEFINED || target === UNDEFINED) return source === target;
    if (source[IS_DATE] === true || target[IS_DATE] === true) return ofDate(source, target);
    if (target.type === 'object') return source.type === 'object' ? ofObjects(source, target) : ofOtherAsObject(source, target);
    if (target.type === 'array') return source.type === 'array' ? ofArrays(source, target) : false;
    const [value] = literalsOf(source) ?? [];
    const wanted = literalsOf(target);
    if (wanted !== null) return wanted.includes(value);
    if (target[IS_TEMPLATE] === true) return ofTemplate(source, value, target);
    return plainType(source) === plainType(target);
  }

  function ofAnyTarget(source: SchemaNode, target: SchemaNode): Decision {
    const kind = target[ANY_KIND];
    if (kind === undefined) return true;
    if (isAny(source)) return source[ANY_KIND] === kind ? true : null;
    if (source === UNDEFINED || source.type === 'null') return false;
    return kind === 'value' || source.type === 'object' || source.type === 'array' || source[IS_DATE] === true;
  }

  function ofDate(source: SchemaNode, target: SchemaNode): Decision {
    if (source[IS_DATE] === true && target[IS_DATE] === true) return true;
    return target.type === 'object' && source.type !== 'null' ? null : false;
  }

  function ofTemplate(source: SchemaNode, value: unknown, target: SchemaNode): Decision {
    if (typeof value === 'string') return new RegExp(String(target['pattern']), 'u').test(value);
    if (plainType(source) !== 'string' || source[IS_TEMPLATE] !== true) return false;
    return source['pattern'] === target['pattern'] ? true : null;
  }

  /** A list or a primitive: it has methods and `length`, but no properties of its own. */
  function ofOtherAsObject(source: SchemaNode, target: SchemaNode): Decision {
    if (source.type === 'null') return false;
    const names = Object.keys(target.properties ?? {});
    if (names.some((name) => name in Array.prototype || name in String.prototype || name in Number.prototype)) return null;
    return names.length > 0 || source.type !== 'array' ? false : null;
  }

  function ofArrays(source: SchemaNode, target: SchemaNode): Decision {
    if (isEqual(source, target)) return true;
    if (target.prefixItems !== undefined) return source.prefixItems === undefined && Number(target['minItems'] ?? 0) > 0 ? false : null;
    const items = [...(source.prefixItems ?? []), ...(typeof source.items === 'object' ? [source.items] : [])];
    const { items: wanted } = target;
    return typeof wanted === 'object' ? every(items, (item) => isAssignable(item, wanted)) : null;
  }

  function ofObjects(source: SchemaNode, target: SchemaNode): Decision {
    const own = new Map(propertiesOf(source).map((property) => [property.name, property]));
    const wanted = propertiesOf(target);
    const found = every(wanted, (property) => ofProperty(own.get(property.name), property, isOpen(source)));
    if (found === false) return false;
    const isWeak = wanted.length > 0 && target.required === undefined && !isOpen(target) && !isOpen(source);
    const isUnsure = target[IS_INEXACT] === true || wanted.some(({ schema }) => schema['default'] !== undefined);
    if (isWeak && own.size > 0 && wanted.every(({ name }) => !own.has(name))) return isUnsure ? null : false;
    if (target[IS_INEXACT] === true) return source[IS_INEXACT] === true && isEqual(source, target) ? true : null;
    if (source['propertyNames'] !== undefined || source['patternProperties'] !== undefined) return isEqual(source, target) ? true : null;
    return isOpen(target) ? ofIndexed(source, target) : found;
  }

  function ofProperty(own: ObjectProperty | undefined, wanted: ObjectProperty, isSourceOpen: boolean): Decision {
    // A default in a doc comment made it optional; the type says otherwise.
    const isUnsure = wanted.schema['default'] !== undefined || own?.schema['default'] !== undefined;
    if (own === undefined) return wanted.isRequired ? false : isSourceOpen || isUnsure ? null : true;
    const found = isAssignable(own.schema, wanted.schema);
    if (found === false || own.isRequired || !wanted.isRequired) return found;
    return isUnsure ? null : false;
  }

  /** Interfaces are not assignable to index signatures, and a schema does not show whether it was one. */
  function ofIndexed(source: SchemaNode, target: SchemaNode): Decision {
    const rest = typeof target.additionalProperties === 'object' ? target.additionalProperties : {};
    if (target['propertyNames'] !== undefined || target['patternProperties'] !== undefined) return null;
    const own = propertiesOf(source).filter(({ name }) => !Object.hasOwn(target.properties ?? {}, name));
    const found = every(own, ({ schema }) => isAssignable(schema, rest));
    if (found === false || !isOpen(source)) return found === false ? false : null;
    const open = typeof source.additionalProperties === 'object' ? source.additionalProperties : {};
    return every([found, isAssignable(open, rest)], (one) => one);
  }

  return isAssignable;
}

/** The members of a union; `undefined`, `null` and each literal are members of their own. */
function membersOf(schema: SchemaNode, resolve: Resolve): readonly SchemaNode[] {
  const target = resolve(schema);
  if (target[IS_NOTHING] !== undefined) return target[IS_NOTHING] === 'never' ? [] : [UNDEFINED];
  if (target[IS_OPTIONAL] === true) return [...membersOf(withoutOptional(target), resolve), UNDEFINED];
  if (target.anyOf !== undefined) return target.anyOf.flatMap((member) => membersOf(member, resolve));
  if (target.enum !== undefined) return target.enum.map(literal);
  if (target.type === 'boolean' && literalsOf(target) === null) return [literal(true), literal(false)];
  if (typeof target.type === 'object') return target.type.map((type) => (type === 'null' ? NULL : { ...target, type }));
  return [target];
}

/** Without keywords added by a union or a doc comment. */
function isEqual(...schemas: readonly SchemaNode[]): boolean {
  return new Set(schemas.map(({ title: _, description: __, ...bare }) => JSON.stringify(bare))).size === 1;
}

/** An index signature. */
function isOpen(schema: SchemaNode): boolean {
  return schema.additionalProperties !== undefined && schema.additionalProperties !== false;
}

function plainType(schema: SchemaNode): unknown {
  return schema.type === 'integer' ? 'number' : schema.type;
}

/** False if one is false, else null if one is undecided. */
function every<T>(items: readonly T[], decide: (item: T) => Decision): Decision {
  let all: Decision = true;
  for (const item of items) {
    const one = decide(item);
    if (one === false) return false;
    if (one === null) all = null;
  }
  return all;
}

function some<T>(items: readonly T[], decide: (item: T) => Decision): Decision {
  let any: Decision = false;
  for (const item of items) {
    const one = decide(item);
    if (one === true) return true;
    if (one === null) any = null;
  }
  return any;
}
