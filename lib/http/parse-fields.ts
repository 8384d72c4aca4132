import { z } from 'zod';
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

interface FieldIssue {
  /** JSON Pointer. */
  readonly path: string;
  readonly message: string;
}

function refuseFields(
  code: 'body_fields_invalid' | 'query_invalid',
  subject: string,
  schema: z.ZodObject,
  wrong: readonly z.core.$ZodIssue[],
): Result<never> {
  const issues = wrong.flatMap((issue) => describeIssue(issue, subject, schema));
  return refuse(code, issues.map((issue) => issue.message).join(' '), { extra: { issues } });
}

/** What a body asks for, seen before it is checked. */
export function hasMember(body: unknown, name: string, value: unknown): boolean {
  return typeof body === 'object' && body !== null && Object.entries(body).some(([key, given]) => key === name && given === value);
}

function describeIssue(issue: z.core.$ZodIssue, subject: string, schema: z.ZodObject): FieldIssue[] {
  if (issue.code === 'unrecognized_keys') {
    const known = acceptedAt(schema, issue.path);
    const words = known === null ? '' : known.length === 0 ? ' (none are accepted)' : ` (accepted: ${known.join(', ')})`;
    return issue.keys.map((key) => ({ path: pointer([...issue.path, key]), message: `"${shorten(key)}" is not a field here${words}.` }));
  }
  const path = pointer(issue.path);
  const where = issue.path.length === 0 ? subject : `"${shorten(issue.path.map(String).join('.'))}"`;
  return [{ path, message: `${where} ${describeNeed(issue)}.` }];
}

/** The names of the object that lies there; null where the schema does not name one object. */
function acceptedAt(schema: z.ZodObject, path: readonly PropertyKey[]): readonly string[] | null {
  let at: unknown = schema;
  for (const step of path) {
    at = bare(at);
    if (at instanceof z.ZodArray && typeof step === 'number') at = at.element;
    else if (at instanceof z.ZodObject) at = Object.hasOwn(at.shape, step) ? at.shape[String(step)] : null;
    else return null;
  }
  at = bare(at);
  return at instanceof z.ZodObject ? Object.keys(at.shape) : null;
}

/** Without what only says whether it may be left out. */
function bare(schema: unknown): unknown {
  return schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault
    ? bare(schema.unwrap())
    : schema;
}

/** What would be right, in words; zod's own where there are none better. */
function describeNeed(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${WORDS[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return `must be one of ${issue.values.map(String).join(', ')}`;
    case 'too_small':
      return `must be ${issue.inclusive === false ? 'more than' : 'at least'} ${issue.minimum}${unitOf(issue.origin)}`;
    case 'too_big':
      return `must be ${issue.inclusive === false ? 'less than' : 'at most'} ${issue.maximum}${unitOf(issue.origin)}`;
    case 'invalid_format':
      if (issue.format === 'datetime') return 'must be a time, such as 2026-01-31T12:00:00Z';
      return `does not fit: ${issue.message}`;
    default:
      return `does not fit: ${issue.message}`;
  }
}

const WORDS: Readonly<Record<string, string>> = {
  array: 'a list',
  boolean: 'true or false',
  int: 'a whole number',
  number: 'a number',
  object: 'an object',
  record: 'an object',
  string: 'a text',
};

function unitOf(origin: string): string {
  if (origin === 'string') return ' characters long';
  return origin === 'array' ? ' entries long' : '';
}

function pointer(path: readonly PropertyKey[]): string {
  return path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

function shorten(text: string): string {
  return text.length <= 80 ? text : `${text.slice(0, 80)}…`;
}
