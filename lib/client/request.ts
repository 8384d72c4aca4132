import { type QueryKey, queryOptions } from '@tanstack/react-query';
import type * as z from 'zod';
import { ApiProblem, hasProblemCode, isApiProblem, parseJson, problemOf } from './api-problem.ts';
import { actorHeader, person } from './person.ts';
import { sessionWatch } from './session-watch.ts';
import type { Shape } from './shapes.ts';

export interface RequestOptions {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly body?: unknown;
  /** The body as JSON text, where its exact form matters. */
  readonly bodyText?: string;
  readonly signal?: AbortSignal | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** A write that changes what runs: the admin token is sent, and asked for if the server requires it. */
  readonly admin?: boolean;
}

/** Of a PUT that must not replace anything: 412 `already_exists` if there is one. */
export const ONLY_ADD = { 'if-none-match': '*' } as const;

/**
 * One API request; the response is parsed by the schema that `shape` loads. Throws an ApiProblem for other responses and
 * rethrows aborts. A write that requires the admin token asks for it and is sent again.
 */
export async function request<Schema extends z.ZodType>(
  path: string,
  shape: Shape<Schema>,
  options: RequestOptions = {},
): Promise<z.output<Schema>> {
  const method = options.method ?? 'GET';
  for (;;) {
    const token = options.admin === true ? person.adminToken() : null;
    try {
      return await once(path, shape, method, options, token);
    } catch (error) {
      if (options.admin !== true || !hasProblemCode(error, 'admin_token_invalid')) throw error;
      if (token !== null && person.adminToken() === token) person.setAdminToken(null);
      const given = person.adminToken() ?? (await person.askForAdminToken(token !== null, ...missingIn(error)));
      if (given === null) throw error;
      person.setAdminToken(given);
    }
  }
}

/** A query that reads this path. */
export function readQuery<Schema extends z.ZodType, const Key extends QueryKey>(queryKey: Key, path: string, shape: Shape<Schema>) {
  return queryOptions({ queryKey, queryFn: ({ signal }) => request(path, shape, { signal }) });
}

/** The server's explanation of what is missing, if it has one. */
function missingIn(error: unknown): [] | [string] {
  const missing = isApiProblem(error) ? error.extra['missing'] : undefined;
  return typeof missing === 'string' ? [missing] : [];
}

async function once<Schema extends z.ZodType>(
  path: string,
  shape: Shape<Schema>,
  method: string,
  options: RequestOptions,
  token: string | null,
): Promise<z.output<Schema>> {
  const name = person.name();
  const sent = options.bodyText ?? (options.body === undefined ? undefined : JSON.stringify(options.body));
  let response: Response;
  try {
    response = await fetch(path, {
      method,
      cache: 'no-store',
      headers: {
        accept: 'application/json, application/problem+json',
        'x-switchboard-client': 'web',
        ...(sent === undefined ? {} : { 'content-type': 'application/json' }),
        ...(name === null ? {} : { 'x-actor': actorHeader(name) }),
        ...(token === null ? {} : { 'x-admin-token': token }),
        ...options.headers,
      },
      ...(sent === undefined ? {} : { body: sent }),
      ...(options.signal === undefined ? {} : { signal: options.signal }),
    });
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw new ApiProblem('offline', 'The server could not be reached. Check that it is running; the page reconnects automatically.', {
      cause: error,
    });
  }
  if (!response.ok) {
    const problem = await problemOf(response);
    if (problem.status === 401 || problem.status === 403) sessionWatch.reportRejection();
    throw problem;
  }
  const [schema, text] = await Promise.all([shape(), response.text()]);
  const parsed = schema.safeParse(await parseJson(text));
  if (!parsed.success) {
    throw new ApiProblem(
      'answer_unreadable',
      `The server's answer to ${method} ${path} is not what this page understands. Reload the page; it may be older than the server.`,
      {
        status: response.status,
        cause: parsed.error,
      },
    );
  }
  return parsed.data;
}
