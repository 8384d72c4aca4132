import { docKeywords, jsonOrText } from './doc-comment.ts';
import type { DocComment, DocParameter } from './doc-comment.ts';
import { ANY, isAny, IS_OPTIONAL, literalsOf, objectOf, withoutOptional } from './schema-node.ts';
import type { ObjectProperty, SchemaNode } from './schema-node.ts';

/**
 * Adds the lines of a doc comment below `owner`: `owner.city`, `owner.deep.x`, and `owner[].city` for a list. An object or a list
 * without a type of its own gets these properties; other types get the descriptions.
 */
export async function withDocProperties(
  schema: SchemaNode,
  owner: string,
  lines: readonly DocParameter[],
  readType: (line: DocParameter) => Promise<SchemaNode | null>,
): Promise<SchemaNode> {
  if (schema.type === 'array' && typeof schema.items === 'object' && isAny(schema.items))
    return { ...schema, items: await withDocProperties(schema.items, `${owner}[]`, lines, readType) };
  if (!isAny(schema)) return withDescriptions(schema, owner, lines);
  const prefix = owner === '' ? '' : `${owner}.`;
  const names = new Set(lines.flatMap(({ name }) => (name.startsWith(prefix) ? [name.slice(prefix.length).replace(/[.[].*$/, '')] : [])));
  const properties: ObjectProperty[] = [];
  for (const name of names) {
    const path = `${prefix}${name}`;
    const line = lines.find((one) => one.name === path);
    const own = (line === undefined ? null : await readType(line)) ?? ANY;
    const isList = isAny(own) && lines.some((one) => one.name.startsWith(`${path}[]`));
    const inner = await withDocProperties(isList ? { type: 'array', items: ANY } : own, path, lines, readType);
    properties.push({
      name,
      schema: {
        ...withoutOptional(inner),
        ...(line === undefined || line.text === '' ? {} : { description: line.text }),
        ...defaultOf(line?.defaultText ?? null, inner),
      },
      isRequired: line?.isOptional !== true && inner[IS_OPTIONAL] !== true,
    });
  }
  return properties.length === 0 ? schema : objectOf(properties);
}

/** Descriptions of `owner.city` lines for an object that has its own type. */
export function withDescriptions(schema: SchemaNode, owner: string, lines: readonly DocParameter[]): SchemaNode {
  if (!lines.some(({ name }) => name.startsWith(`${owner}.`) || name.startsWith(`${owner}[]`))) return schema;
  if (schema.anyOf !== undefined) return { ...schema, anyOf: schema.anyOf.map((member) => withDescriptions(member, owner, lines)) };
  if (typeof schema.items === 'object') return { ...schema, items: withDescriptions(schema.items, `${owner}[]`, lines) };
  if (schema.properties === undefined) return schema;
  const properties = Object.entries(schema.properties).map(([name, property]): readonly [string, SchemaNode] => {
    const path = `${owner}.${name}`;
    const text = lines.find((one) => one.name === path)?.text ?? '';
    return [name, { ...withDescriptions(property, path, lines), ...(text === '' ? {} : { description: text }) }];
  });
  return { ...schema, properties: Object.fromEntries(properties) };
}

/** Schema keywords from a doc comment on a property or type. */
export function keywordsFor(doc: DocComment, schema: SchemaNode): Record<string, unknown> {
  const keywords = docKeywords(doc);
  const written = doc.tags.find(({ name }) => name === 'default' || name === 'defaultValue');
  const typed = keywords['type'] === 'integer' ? { ...schema, type: 'integer' } : schema;
  return { ...keywords, ...defaultOf(written?.text ?? null, typed) };
}

/** A text that is not of the type, such as `[at=now]` for a date or `[most=LIMIT]` for a number, only describes the default. */
export function defaultOf(text: string | null, schema: SchemaNode): { readonly default?: unknown } {
  if (text === null || schema['format'] !== undefined) return {};
  const value = jsonOrText(text);
  if (value === undefined || (value === null && schema.type === 'string')) return {};
  if (schema.type === 'string' && literalsOf(schema) === null) return { default: typeof value === 'string' ? value : text };
  return hasTypeOf(value, schema) ? { default: value } : {};
}

function hasTypeOf(value: unknown, schema: SchemaNode): boolean {
  if (schema.anyOf !== undefined) return schema.anyOf.some((member) => hasTypeOf(value, member));
  const values = literalsOf(schema);
  if (values !== null) return values.includes(value);
  if (schema.type === undefined) return isAny(schema) || schema.$ref !== undefined;
  const own = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
  return [schema.type].flat().some((type) => type === own || (type === 'integer' && Number.isInteger(value)));
}
