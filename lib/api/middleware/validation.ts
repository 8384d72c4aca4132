import type { IncomingMessage } from 'node:http';
import type * as z from 'zod';
import { fieldIssues } from '#lib/contract/field-words.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import { ok, refuse, type Result } from '#lib/contract/result.ts';
import { headerOf, type RequestHead } from '../request.ts';
import { NO_FIELDS, type Route } from '../route.ts';

/** Validation of body and query: by the head, by the bytes, then by the schemas of the route. */
const FORM_TYPE = /^application\/x-www-form-urlencoded\s*(?:;\s*charset="?utf-8"?\s*)?$/i;
const JSON_TYPE = /^application\/json\s*(?:;\s*charset="?utf-8"?\s*)?$/i;

/** Rejects bodies by the head, and query parameters on routes without any. */
export function checkHead(head: RequestHead, route: Route): Result<unknown> {
  const body = checkBodyHead(head, route);
  if (!body.ok) return body;
  const search = searchOf(head);
  if (search === '' || route.query !== undefined || !refusesUnread(route)) return ok(null);
  return parseQuery(NO_FIELDS, new URLSearchParams(search));
}

/**
 * An unread query parameter would be ignored silently. Routes with a query schema reject unknown ones; parameters of probes,
 * agents and identity providers are theirs.
 */
export function refusesUnread(route: Pick<Route, 'path' | 'openedFromElsewhere'>): boolean {
  return route.path.startsWith('/api/v1/') && route.openedFromElsewhere !== true;
}

function checkBodyHead(head: RequestHead, route: Route): Result<null> {
  if (route.method === 'GET') return ok(null);
  const { headers } = head;
  const hasBody = headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
  if (hasBody && route.method === 'DELETE' && route.body === undefined)
    return refuse('request_malformed', 'This request takes no body; send it without one.');
  const encoding = headerOf(head, 'content-encoding');
  if (encoding)
    return refuse('media_type_unsupported', `The body is encoded as "${encoding.slice(0, 40)}". Send it without Content-Encoding.`);
  const type = headers['content-type'];
  if (type ? !(route.form === true ? FORM_TYPE : JSON_TYPE).test(type) : hasBody) {
    const given = type ? `is "${type.slice(0, 80)}"` : 'is missing';
    const right = route.form === true ? 'application/x-www-form-urlencoded' : 'application/json in UTF-8';
    return refuse('media_type_unsupported', `The Content-Type ${given}; ${right} is accepted.`);
  }
  return Number(headers['content-length'] ?? 0) > LIMITS.bodyBytes ? tooLarge() : ok(null);
}

export function searchOf({ url = '' }: Pick<RequestHead, 'url'>): string {
  const question = url.indexOf('?');
  return question === -1 ? '' : url.slice(question + 1);
}

/** The bytes of the body, limited whatever Content-Length says. */
export async function readBody(request: IncomingMessage): Promise<Result<Buffer>> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    // The rest of a body that is too large is dropped, so that the client gets the response.
    for await (const chunk of partsOf(request)) {
      size += chunk.length;
      if (size > LIMITS.bodyBytes) return tooLarge();
      chunks.push(chunk);
    }
  } catch {
    return refuse('request_malformed', 'The client disconnected.');
  }
  return ok(Buffer.concat(chunks, size));
}

function partsOf(request: IncomingMessage): AsyncIterable<Buffer> {
  return request.iterator({ destroyOnReturn: false });
}

function tooLarge(): Result<never> {
  return refuse('body_too_large', `The body is larger than ${LIMITS.bodyBytes} bytes (1 MiB), the maximum.`);
}

/** A parsed body, or 422 with every unknown or wrong field. */
export function parseBody<Schema extends z.ZodObject>(schema: Schema, value: unknown): Result<z.output<Schema>> {
  const parsed = schema.safeParse(value);
  return parsed.success ? ok(parsed.data) : refuseFields('body_fields_invalid', 'The body', schema, parsed.error.issues);
}

/**
 * A parsed query. A repeated parameter is invalid, and an empty one counts as absent: forms send every field.
 * @param meantEmpty parameters whose empty value has a meaning
 */
export function parseQuery<Schema extends z.ZodObject>(
  schema: Schema,
  search: URLSearchParams,
  meantEmpty: readonly (keyof Schema['shape'])[] = [],
): Result<z.output<Schema>> {
  const fields = new Map<string, string>();
  for (const [name, value] of search) {
    if (fields.has(name)) return refuse('query_invalid', `The query parameter "${name}" is given twice. Give it once.`);
    fields.set(name, value);
  }
  const isLeftOut = ([name, value]: [string, string]): boolean =>
    value === '' && Object.hasOwn(schema.shape, name) && !meantEmpty.includes(name);
  const parsed = schema.safeParse(Object.fromEntries([...fields].filter((field) => !isLeftOut(field))));
  if (parsed.success) return ok(parsed.data);
  // Query fields are flat: an item of a list is named by its field.
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
