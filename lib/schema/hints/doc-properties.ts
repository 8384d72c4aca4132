import { jsonOrText } from './doc-comment.ts';
import type { DocParameter } from './doc-comment.ts';
import { ANY, isAny, IS_OPTIONAL, objectOf, withoutOptional } from './schema-node.ts';
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

/** A text that is not of the type, such as `[at=now]` for a date, only describes the default. */
function defaultOf(text: string | null, { type, ...rest }: SchemaNode): { readonly default?: unknown } {
  if (text === null || rest.format !== undefined) return {};
  const value = jsonOrText(text);
  if (type === 'string') return { default: typeof value === 'string' ? value : text };
  const own = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
  const isOfType = type === undefined ? isAny(rest) : [type].flat().includes(own);
  return isOfType ? { default: value } : {};
}
