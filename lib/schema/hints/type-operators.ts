import type { TSTupleElement, TSTupleType, TSType } from 'oxc-parser';
import {
  ANY,
  isAny,
  IS_INEXACT,
  IS_OPTIONAL,
  IS_TEMPLATE,
  literals,
  literalsOf,
  NEVER,
  NULL,
  objectOf,
  propertiesOf,
  UNDEFINED,
  union,
  withoutOptional,
} from './schema-node.ts';
import type { ObjectProperty, SchemaNode } from './schema-node.ts';

/** Resolves a reference to a copy. */
export type Resolve = (schema: SchemaNode) => SchemaNode;

export function isObjectSchema(schema: SchemaNode): boolean {
  return schema.type === 'object';
}

/** Applies an operation to objects, to each member of a union. Null: not an object. */
export function mapObjects(schema: SchemaNode, resolve: Resolve, change: (object: SchemaNode) => SchemaNode | null): SchemaNode | null {
  const target = resolve(schema);
  if (isAny(target)) return ANY;
  if (target.anyOf !== undefined) {
    const changed = target.anyOf.map((member) => (member.type === 'null' ? NULL : mapObjects(member, resolve, change)));
    return changed.includes(null) ? null : union(changed.filter((member) => member !== null));
  }
  return isObjectSchema(target) ? change(target) : null;
}

/** The same object with other properties and the same other keywords. */
export function withProperties(object: SchemaNode, properties: readonly ObjectProperty[]): SchemaNode {
  const { properties: _, required: __, additionalProperties, ...rest } = object;
  return { ...rest, ...objectOf(properties, additionalProperties ?? false) };
}

export function intersection(members: readonly SchemaNode[], resolve: Resolve): SchemaNode {
  const [first = ANY, ...others] = members.filter((member) => !isAny(member));
  return others.reduce((left, right) => intersect(left, right, resolve), first);
}

function intersect(left: SchemaNode, right: SchemaNode, resolve: Resolve): SchemaNode {
  const [one, other] = [resolve(left), resolve(right)];
  if (JSON.stringify(one) === JSON.stringify(other)) return left;
  if (one.anyOf !== undefined) return union(one.anyOf.map((member) => intersect(member, other, resolve)));
  if (other.anyOf !== undefined) return union(other.anyOf.map((member) => intersect(one, member, resolve)));
  if (isObjectSchema(one) && isObjectSchema(other)) return merge(one, other, (a, b) => intersect(a, b, resolve));
  // A branded type: `string & { __brand: 'id' }` is a string in JSON.
  if (isObjectSchema(one)) return other;
  if (isObjectSchema(other)) return one;
  const [values, otherValues] = [literalsOf(one), literalsOf(other)];
  if (values !== null && otherValues !== null) return literals(values.filter((value) => otherValues.includes(value)));
  if (values !== null) return one;
  if (otherValues !== null) return other;
  return one.type === other.type ? { ...one, ...other } : NEVER;
}

function merge(one: SchemaNode, other: SchemaNode, both: (a: SchemaNode, b: SchemaNode) => SchemaNode): SchemaNode {
  const properties = new Map(propertiesOf(one).map((property) => [property.name, property]));
  for (const property of propertiesOf(other)) {
    const before = properties.get(property.name);
    properties.set(
      property.name,
      before === undefined
        ? property
        : { name: property.name, schema: both(before.schema, property.schema), isRequired: before.isRequired || property.isRequired },
    );
  }
  const open = [one.additionalProperties, other.additionalProperties].find((rest) => rest !== false && rest !== undefined);
  const merged = objectOf([...properties.values()], open ?? false);
  return one[IS_INEXACT] === true || other[IS_INEXACT] === true ? { ...merged, [IS_INEXACT]: true } : merged;
}

/** An interface with its bases: its own properties override theirs. */
export function inherited(parts: readonly SchemaNode[]): SchemaNode {
  return parts.reduce((base, own) => merge(base, own, (_, property) => property));
}

/** `keyof`. */
export function keysOf(schema: SchemaNode, resolve: Resolve): SchemaNode {
  const target = resolve(schema);
  const names = Object.keys(target.properties ?? {});
  const isOpen = target.additionalProperties !== undefined && target.additionalProperties !== false;
  return isOpen || !isObjectSchema(target) ? { type: 'string' } : literals(names);
}

/** `T[K]`; null without such a property. */
export function indexed(schema: SchemaNode, key: SchemaNode, resolve: Resolve): SchemaNode | null {
  const target = resolve(schema);
  if (isAny(target)) return ANY;
  if (target.anyOf !== undefined) {
    const members = target.anyOf.map((member) => indexed(member, key, resolve));
    return members.includes(null) ? null : union(members.filter((member) => member !== null));
  }
  const items = typeof target.items === 'object' ? [target.items] : [];
  const names = literalsOf(key);
  if (target.type === 'array' && names === null) return union([...(target.prefixItems ?? []), ...items]);
  const found = (names ?? []).map((name) => {
    if (target.type === 'array') return target.prefixItems?.[Number(name)] ?? items[0] ?? null;
    const property = Object.hasOwn(target.properties ?? {}, String(name)) ? target.properties?.[String(name)] : undefined;
    if (property !== undefined) return target.required?.includes(String(name)) === true ? property : union([property, UNDEFINED]);
    return restOf(target);
  });
  if (names === null) return restOf(target);
  return found.includes(null) ? null : union(found.filter((member) => member !== null));
}

function restOf(target: SchemaNode): SchemaNode | null {
  const rest = target.additionalProperties;
  return rest === true ? ANY : typeof rest === 'object' ? rest : null;
}

const PLACES_MOST = 1_000;

/**
 * Draft 2020-12: `prefixItems` for positions, `items` for the rest. Null: a spread of something that is not a list, or a rest
 * before elements of another type, which no JSON Schema expresses.
 */
export async function tuple(node: TSTupleType, read: (node: TSType) => Promise<SchemaNode>, resolve: Resolve): Promise<SchemaNode | null> {
  const places: SchemaNode[] = [];
  const after: SchemaNode[] = [];
  const rests: SchemaNode[] = [];
  let fewest = 0;
  const add = (schema: SchemaNode, isOptional: boolean): void => {
    (rests.length > 0 ? after : places).push(schema);
    if (rests.length === 0 && !isOptional) fewest = places.length;
  };
  for (const element of node.elementTypes) {
    const { type, isOptional, isRest, label } = elementOf(element);
    const schema = await read(type);
    if (!isRest) {
      add(
        label === null ? withoutOptional(schema) : { title: label, ...withoutOptional(schema) },
        isOptional || schema[IS_OPTIONAL] === true,
      );
      continue;
    }
    const list = resolve(schema);
    if (!isAny(list) && list.type !== 'array') return null;
    const required = Number(list['minItems'] ?? 0);
    for (const [index, place] of (list.prefixItems ?? []).entries()) add(place, index >= required);
    if (list.items !== false) rests.push(list.items ?? ANY);
    // A list that may not be empty.
    if (list.prefixItems === undefined && list.items !== undefined && list.items !== false)
      after.push(...Array.from({ length: Math.min(required, PLACES_MOST) }, () => list.items || ANY));
    if (places.length + after.length > PLACES_MOST) return null;
  }
  const [rest] = rests;
  if (rest !== undefined && [...rests, ...after].some((one) => !isSame(one, rest))) return null;
  if (after.length > 0) fewest = places.length + after.length;
  const minItems = places.length > 0 || fewest > 0 ? { minItems: fewest } : {};
  return { type: 'array', ...(places.length > 0 ? { prefixItems: places } : {}), items: rest ?? false, ...minItems };
}

function isSame(one: SchemaNode, other: SchemaNode): boolean {
  const [{ title: _, ...bare }, { title: __, ...otherBare }] = [one, other];
  return JSON.stringify(bare) === JSON.stringify(otherBare);
}

function elementOf(element: TSTupleElement): {
  readonly type: TSType;
  readonly isOptional: boolean;
  readonly isRest: boolean;
  readonly label: string | null;
} {
  if (element.type === 'TSOptionalType') return { type: element.typeAnnotation, isOptional: true, isRest: false, label: null };
  if (element.type === 'TSRestType') return { ...elementOf(element.typeAnnotation), isRest: true };
  if (element.type === 'TSNamedTupleMember') {
    const inner = elementOf(element.elementType);
    return { type: inner.type, isOptional: element.optional, isRest: inner.isRest, label: element.label.name };
  }
  return { type: element, isOptional: false, isRest: false, label: null };
}

/** A template literal type as a pattern; null if a part has none. */
export function pattern(texts: readonly string[], parts: readonly SchemaNode[]): SchemaNode | null {
  let source = '^';
  for (const [index, text] of texts.entries()) {
    source += escape(text);
    const part = parts[index];
    if (part === undefined) continue;
    const inner = partPattern(part);
    if (inner === null) return null;
    source += inner;
  }
  return { type: 'string', pattern: `${source}$`, [IS_TEMPLATE]: true };
}

function partPattern(part: SchemaNode): string | null {
  const values = literalsOf(part);
  if (values !== null) return `(?:${values.map((value) => escape(String(value))).join('|')})`;
  if (typeof part['pattern'] === 'string') return `(?:${part['pattern'].replace(/^\^|\$$/g, '')})`;
  if (part.type === 'string') return '[\\s\\S]*';
  if (part.type === 'number') return '-?\\d+(?:\\.\\d+)?';
  return part.type === 'boolean' ? '(?:true|false)' : null;
}

function escape(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

/** Type of a value: as TypeScript infers it, or exactly (`as const`). */
export function schemaOfValue(value: unknown, isExact: boolean): SchemaNode {
  if (value === null) return NULL;
  if (Array.isArray(value))
    return listOf(
      value.map((item: unknown) => schemaOfValue(item, isExact)),
      isExact,
    );
  // An empty object says nothing about its properties.
  if (typeof value === 'object' && !isExact && Object.keys(value).length === 0) return { type: 'object', additionalProperties: true };
  if (typeof value === 'object')
    return objectOf(Object.entries(value).map(([name, one]) => ({ name, schema: schemaOfValue(one, isExact), isRequired: true })));
  return isExact ? { type: typeof value, const: value } : { type: typeof value };
}

export function listOf(items: readonly SchemaNode[], isTuple: boolean): SchemaNode {
  if (isTuple) return { type: 'array', prefixItems: items, items: false, minItems: items.length };
  return { type: 'array', items: items.length === 0 ? ANY : union(items) };
}
