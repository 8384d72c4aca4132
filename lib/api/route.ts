import { z } from 'zod';
import { isAdministrative } from '#lib/access/principal.ts';
import type { Action } from '#lib/contract/actions.ts';
import type { ProblemCode } from '#lib/contract/problems.ts';
import type { Result } from '#lib/contract/result.ts';
import type { ApiRequest } from './request.ts';

/**
 * One definition per route: address, who may, what counts against a limit, what is audited, what it takes and gives, and its handler.
 * The router, every middleware, the OpenAPI document and the tests of the documentation read these; nothing is stated twice.
 */
export type Method = (typeof METHODS)[number];

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

export const TAGS = {
  calls: 'Calling tools, and the history of calls',
  'saved calls': 'Saved calls and checks',
  tools: 'Tools that can be called',
  extensions: 'Where tools come from',
  snapshots: 'Versions of the set of extensions',
  channels: 'Messaging channels',
  failures: 'Failures for review',
  sources: 'The files of the extensions folder',
  accounts: 'Sign-in, members and tokens',
  server: 'The server itself',
} as const;

export type Tag = keyof typeof TAGS;

/** A response that is not JSON of a named schema. */
export interface MediaTypes {
  /** The request says which. */
  readonly mediaTypes: readonly string[];
  readonly description: string;
}

/** A response that redirects a browser. */
export interface Redirect {
  /** In words: where to. */
  readonly redirects: string;
}

export interface RouteOptions<Query extends z.ZodObject = z.ZodObject, Body extends z.ZodObject = z.ZodObject> {
  /** A second action that some bodies need as well, such as a saved call that becomes a required check. */
  readonly also?: { readonly action: Action; when(json: unknown, request: Pick<ApiRequest, 'host' | 'parameter'>): boolean };
  /** Which rate limit counts it. Default: none for GET, `calls` for what runs a tool, `writes` for the rest. */
  readonly limit?: 'calls' | 'writes';
  /** The action of its audit entry. Default: `action` where that is administrative and the request writes; null for none. */
  readonly audit?: Action | null;
  readonly tag?: Tag;
  /** Description of the variable segment. */
  readonly parameter?: string;
  /** What a request is refused with that names nothing there is. */
  readonly unknown?: ProblemCode;
  readonly query?: Query;
  /** Query parameters whose empty value means something; others count as left out. */
  readonly meantEmpty?: readonly string[];
  readonly body?: Body;
  readonly response: z.ZodType | MediaTypes | Redirect;
  /** Refusals of its own, besides those that any route has. */
  readonly problems?: readonly ProblemCode[];
  /** It may run a tool: takes `Prefer` and `Idempotency-Key`, and answers 200 or 202. */
  readonly runsTool?: true;
  /** Another site may send a browser here, as it may to a page. */
  readonly openedFromElsewhere?: true;
  /** Headers of its own, by name with a description. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Not part of the OpenAPI document. */
  readonly hidden?: true;
  /** No span: asked every few seconds, or open for hours. */
  readonly untraced?: true;
  /** Answered also while there is no host yet, and while the server stops. */
  early?(request: Pick<ApiRequest, 'context' | 'server' | 'principal'>): Response;
  /** Its handler reads the body itself. */
  readonly readsBody?: true;
  /** Checked before the body is parsed, so that an unknown resource is a 404 whatever the body. */
  exists?(request: Pick<ApiRequest, 'host' | 'parameter' | 'principal' | 'key'>): Result<unknown>;
}

type Answer = Result<unknown> | Response;

export interface Route extends RouteOptions {
  readonly method: Method;
  /** A segment `:name` takes any single non-empty segment; at most one. */
  readonly path: string;
  /** Who may is decided by `lib/access`. */
  readonly action: Action;
  /** Unique; what generated clients call it. */
  readonly id: string;
  readonly summary: string;
  readonly tag: Tag;
  readonly limitClass: 'calls' | 'writes' | null;
  readonly audited: Action | null;
  /**
   * `admin`: changes what runs or erases; needs the admin token where one is set. `by request`: whether it does is seen in the body.
   */
  readonly access: 'open' | 'admin' | 'by request';
  /** JSON values become a 200 with their text; a Response is sent as it is. */
  handle(request: ApiRequest): Answer | Promise<Answer>;
}

export const NO_FIELDS = z.strictObject({});

/**
 * What makes the routes of a resource: a definition with its handler.
 * @param shared what its routes have in common; `parameter` and `unknown` are of those with a variable segment
 */
export function routesOf(shared: { readonly tag: Tag; readonly parameter?: string; readonly unknown?: ProblemCode }) {
  return function route<Query extends z.ZodObject = typeof NO_FIELDS, Body extends z.ZodObject = typeof NO_FIELDS>(
    address: `${Method} /${string}`,
    action: Action,
    id: string,
    summary: string,
    options: RouteOptions<Query, Body>,
    handle: (request: ApiRequest<z.output<Query>, z.output<Body>>) => Answer | Promise<Answer>,
  ): Route {
    const { also, audit, runsTool } = options;
    const [method, path] = splitAddress(address);
    const writes = method !== 'GET';
    const common = path.includes(':') ? shared : { tag: shared.tag };
    const { unknown } = { ...common, ...options };
    return {
      ...common,
      ...options,
      method,
      path,
      action,
      id,
      summary,
      problems: [...(unknown === undefined ? [] : [unknown]), ...(options.problems ?? [])],
      limitClass: options.limit ?? (runsTool === true ? 'calls' : writes ? 'writes' : null),
      audited: audit !== undefined ? audit : writes && isAdministrative(action) && !AUDITED_WHERE_DONE.test(action) ? action : null,
      access: isAdministrative(action) ? 'admin' : also === undefined ? 'open' : 'by request',
      handle,
    };
  };
}

/** Written by what does it, as that knows the names. */
const AUDITED_WHERE_DONE = /^(?:session|profile|members|tokens)\./;

function splitAddress(address: string): readonly [Method, string] {
  const [first, path = ''] = address.split(' ', 2);
  const method = METHODS.find((known) => known === first);
  if (method === undefined) throw new Error(`${address} has no method`);
  return [method, path];
}

/** Schemas by the name that the OpenAPI document gives them. */
export const SCHEMAS = z.registry<{ id: string }>();

/** Names a schema for the OpenAPI document; where it is part of another, that one refers to it. */
export function named<Schema extends z.ZodType>(id: string, schema: Schema): Schema {
  if (!SCHEMAS.has(schema)) SCHEMAS.add(schema, { id });
  return schema;
}
