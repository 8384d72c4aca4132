import type { z } from 'zod';
import { fieldIssues } from '#lib/contract/field-words.ts';
import { ok, refuse } from '#lib/contract/result.ts';
import type { Result } from '#lib/contract/result.ts';

/** A body as the shape that is asked for, or 422 that names every field that is unknown or wrong. */
export function parseBody<Schema extends z.ZodObject>(schema: Schema, value: unknown): Result<z.output<Schema>> {
  const parsed = schema.safeParse(value);
  return parsed.success ? ok(parsed.data) : refuseFields('body_fields_invalid', 'The body', schema, parsed.error.issues);
}

/**
 * Query parameters likewise; one that is given twice is wrong, and one without a value counts as left out: forms send every
 * field they have.
 * @param meantEmpty those that say something by being empty
 */
export function parseQuery<Schema extends z.ZodObject>(
  schema: Schema,
  search: URLSearchParams,
  meantEmpty: readonly (keyof Schema['shape'])[] = [],
): Result<z.output<Schema>> {
  const fields = new Map<string, string>();
  for (const [name, value] of search) {
    if (fields.has(name)) return refuse('query_invalid', `The query parameter "${name}" is given twice; give it once.`);
    fields.set(name, value);
  }
  const isLeftOut = ([name, value]: [string, string]): boolean =>
    value === '' && Object.hasOwn(schema.shape, name) && !meantEmpty.includes(name);
  const parsed = schema.safeParse(Object.fromEntries([...fields].filter((field) => !isLeftOut(field))));
  if (parsed.success) return ok(parsed.data);
  // The fields of a query lie flat: a part of a list is named as its field.
  const issues = parsed.error.issues.map((issue) => ({ ...issue, path: issue.path.slice(0, 1) }));
  return refuseFields('query_invalid', 'The query', schema, issues);
}

function refuseFields(
  code: 'body_fields_invalid' | 'query_invalid',
  subject: string,
  schema: z.ZodObject,
  wrong: readonly z.core.$ZodIssue[],
): Result<never> {
  const issues = fieldIssues(subject, schema, wrong);
  return refuse(code, issues.map((issue) => issue.message).join(' '), { extra: { issues } });
}

/** What a body asks for, seen before it is checked. */
export function hasMember(body: unknown, name: string, value: unknown): boolean {
  return typeof body === 'object' && body !== null && Object.entries(body).some(([key, given]) => key === name && given === value);
}
