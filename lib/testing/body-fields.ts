import * as z from 'zod';

/** Names of the fields that a body may have, sorted. */
export function fieldsOf(body: z.ZodType): readonly string[] {
  const schema = z.toJSONSchema(body, { io: 'input', unrepresentable: 'any' });
  const shapes = [schema, ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
  return [...new Set(shapes.flatMap((shape) => Object.keys(shape.properties ?? {})))].toSorted();
}
