import * as z from 'zod';

/* zod issues as messages: which field, and what is right. */
export interface FieldIssue {
  /** JSON Pointer. */
  readonly path: string;
  readonly message: string;
}

/** @param subject start of the sentence: "The body" */
export function fieldIssues(subject: string, schema: z.ZodType, wrong: readonly z.core.$ZodIssue[]): readonly FieldIssue[] {
  return wrong.flatMap((issue) => describeIssue(issue, subject, schema));
}

function describeIssue(issue: z.core.$ZodIssue, subject: string, schema: z.ZodType): FieldIssue[] {
  if (issue.code === 'unrecognized_keys') {
    const known = acceptedAt(schema, issue.path);
    const words = known === null ? '' : known.length === 0 ? ' (none are accepted)' : ` (accepted: ${known.join(', ')})`;
    return issue.keys.map((key) => ({ path: pointer([...issue.path, key]), message: `"${shorten(key)}" is not a field here${words}.` }));
  }
  const path = pointer(issue.path);
  const where = issue.path.length === 0 ? subject : `"${shorten(issue.path.map(String).join('.'))}"`;
  return [{ path, message: `${where} ${describeNeed(issue, isNullable(schemaAt(schema, issue.path)))}.` }];
}

/** Property names of the object schema at this path, or null. */
function acceptedAt(schema: z.ZodType, path: readonly PropertyKey[]): readonly string[] | null {
  const at = bare(schemaAt(schema, path));
  return at instanceof z.ZodObject ? Object.keys(at.shape) : null;
}

/** The schema at this path with its wrappers, or null. */
function schemaAt(schema: z.ZodType, path: readonly PropertyKey[]): unknown {
  let at: unknown = schema;
  for (const step of path) {
    at = bare(at);
    if (at instanceof z.ZodArray && typeof step === 'number') at = at.element;
    else if (at instanceof z.ZodObject) at = Object.hasOwn(at.shape, step) ? at.shape[String(step)] : null;
    else return null;
  }
  return at;
}

function isNullable(schema: unknown): boolean {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) return isNullable(schema.unwrap());
  return schema instanceof z.ZodNullable;
}

/** Without optional wrappers. */
function bare(schema: unknown): unknown {
  return schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault
    ? bare(schema.unwrap())
    : schema;
}

/** The requirement as text; zod's own message as fallback. */
function describeNeed(issue: z.core.$ZodIssue, canBeNull: boolean): string {
  switch (issue.code) {
    case 'invalid_type': {
      const need = `must be ${WORDS[issue.expected] ?? issue.expected}${canBeNull ? ' or null' : ''}`;
      return NOT_GIVEN.test(issue.message) ? `is missing; it ${need}` : need;
    }
    case 'invalid_value':
      return `must be ${issue.values.length === 1 ? '' : 'one of '}${issue.values.map(String).join(', ')}`;
    case 'too_small':
      if (issue.minimum === 1 && unitOf(issue.origin) !== '') return 'must not be empty';
      return `must be ${issue.inclusive === false ? 'more than' : 'at least'} ${issue.minimum}${unitOf(issue.origin)}`;
    case 'too_big':
      return `must be ${issue.inclusive === false ? 'less than' : 'at most'} ${issue.maximum}${unitOf(issue.origin)}`;
    case 'invalid_format':
      if (issue.format === 'datetime') return 'must be a time, such as 2026-01-31T12:00:00Z';
      return `is invalid: ${issue.message}`;
    default:
      return `is invalid: ${issue.message}`;
  }
}

/** zod issues do not include the value. */
const NOT_GIVEN = /received undefined$/;

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
