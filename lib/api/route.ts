import * as z from 'zod';
import { isAdministrative } from '#lib/access/principal.ts';
import type { Action } from '#lib/contract/actions.ts';
import type { AuditDetail } from '#lib/contract/audit.ts';
import type { ProblemCode } from '#lib/contract/problems.ts';
import type { Result } from '#lib/contract/result.ts';
import type { ApiRequest, Needed } from './request.ts';

/**
 * One definition per route: path, permission, limit, audit, schemas and handler. Router, middleware, OpenAPI document and the
 * tests of the documentation read it.
 */
export type Method = (typeof METHODS)[number];

export const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

export const TAGS = {
  calls: 'Calling tools, and the history of calls',
  'saved calls': 'Saved calls and checks',
  tools: 'Tools that can be called',
  extensions: 'Where tools come from',
  snapshots: 'Versions of the set of extensions',
  instances: 'Servers that share the database',
  channels: 'Messaging channels',
  failures: 'Failures for review',
  sources: 'The files of the extensions folder',
  toolsets: 'Choices of tools for agents',
  servers: 'MCP servers in mcp.json',
  secrets: 'Secrets of extensions',
  accounts: 'Sign-in, members and tokens',
  server: 'The server itself',
} as const;

export type Tag = keyof typeof TAGS;

/** A response that is not JSON of a named schema. */
export interface MediaTypes {
  /** The request selects it. */
  readonly mediaTypes: readonly string[];
  readonly description: string;
}

export interface Redirect {
  /** Description of its target. */
  readonly redirects: string;
}

export interface RouteOptions<
  Query extends z.ZodObject = z.ZodObject,
  Body extends z.ZodObject = z.ZodObject,
  Needs extends keyof Needed = keyof Needed,
> {
  readonly summary: string;
  /** Checked before the body is parsed. */
  readonly needs?: Needs;
  /** A second action required by some bodies, such as a saved call that becomes a required check. */
  readonly also?: {
    readonly action: Action;
    when(json: unknown, request: Pick<ApiRequest, 'host' | 'parameter'>): boolean | Promise<boolean>;
  };
  /** Its rate limit. Default: none for GET, `calls` for tool runs, `writes` for the rest. */
  readonly limit?: 'calls' | 'writes';
  /** Action of its audit entry. Default: `action` if it is administrative and the request writes; null for none. */
  readonly audit?: Action | null;
  /** Further details of its audit entry. Never secrets or file contents. */
  detail?(request: Pick<ApiRequest<z.output<Query>, z.output<Body>>, 'parameter' | 'part' | 'body' | 'requester'>): AuditDetail;
  readonly tag?: Tag;
  /** Description of the variable segment. */
  readonly parameter?: string;
  /** Description of the second variable segment. */
  readonly part?: string;
  readonly unknown?: ProblemCode;
  readonly query?: Query;
  /** Query parameters whose empty value has a meaning; others count as absent. */
  readonly meantEmpty?: readonly string[];
  readonly body?: Body;
  readonly response: z.ZodType | MediaTypes | Redirect;
  /** Its own error codes, besides the common ones. */
  readonly problems?: readonly ProblemCode[];
  /** It may run a tool: accepts `Prefer` and `Idempotency-Key`, and responds with 200 or 202. */
  readonly runsTool?: true;
  /** Another site may navigate here, as to a page. */
  readonly openedFromElsewhere?: true;
  /** Its own headers, by name with a description. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly hidden?: true;
  /** No span: requested every few seconds, or open for hours. */
  readonly untraced?: true;
  /** Also answered before the host exists and during a stop. */
  early?(request: Pick<ApiRequest, 'context' | 'server' | 'principal'>): Response;
  /** It returns a list that stays the same object while its content does: its text is kept, with an `ETag`. */
  readonly keepsText?: true;
  /** A PUT that adds or replaces: whether there is something to replace, which `If-None-Match: *` does not allow. */
  replaces?(request: Pick<ApiRequest, 'host' | 'parameter'>): boolean | Promise<boolean>;
  /** Its handler reads the body. */
  readonly readsBody?: true;
  readonly form?: true;
  /** Checked before the body is parsed, so that an unknown resource is a 404 whatever the body. */
  exists?(request: Pick<ApiRequest, 'host' | 'parameter' | 'principal' | 'key'>): Result<unknown>;
  /** JSON values become a 200; a Response is sent unchanged. */
  handle(request: ApiRequest<z.output<Query>, z.output<Body>> & Needed[Needs]): Answer | Promise<Answer>;
}

export type Answer = Result<unknown> | Response;

export interface Route extends RouteOptions {
  readonly method: Method;
  /** `:name` matches one non-empty segment; at most two. */
  readonly path: string;
  /** `lib/access` decides who may use it. */
  readonly action: Action;
  /** Unique; operation id for generated clients. */
  readonly id: string;
  readonly tag: Tag;
  readonly limitClass: 'calls' | 'writes' | null;
  readonly audited: Action | null;
  /** `admin`: changes what runs or deletes; needs the admin token if one is set. `by request`: the body decides. */
  readonly access: 'open' | 'admin' | 'by request';
  handle(request: ApiRequest): Answer | Promise<Answer>;
}

export const NO_FIELDS = z.strictObject({});
export const ANY_FIELDS = z.looseObject({});

/**
 * Creates the routes of a resource: a definition with its handler.
 * @param shared common parts; `parameter` and `unknown` are for routes with a variable segment
 */
export function routesOf(shared: { readonly tag: Tag; readonly parameter?: string; readonly unknown?: ProblemCode }) {
  return function route<
    Query extends z.ZodObject = typeof NO_FIELDS,
    Body extends z.ZodObject = typeof NO_FIELDS,
    Needs extends keyof Needed = 'none',
  >(address: `${Method} /${string}`, action: Action, id: string, options: RouteOptions<Query, Body, Needs>): Route {
    const { also, audit, needs, runsTool, replaces, problems = [] } = options;
    const [method, path] = address.split(' ', 2) as [Method, string];
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
      problems: [
        ...(unknown === undefined ? [] : [unknown]),
        ...(needs === undefined ? [] : (['not_found'] as const)),
        ...(replaces === undefined ? [] : (['already_exists'] as const)),
        ...problems,
      ],
      ...(replaces === undefined ? {} : { headers: { ...options.headers, 'If-None-Match': '`*`: only add it, never replace it.' } }),
      limitClass: options.limit ?? (runsTool === true ? 'calls' : writes ? 'writes' : null),
      audited: audit !== undefined ? audit : writes && isAdministrative(action) && !AUDITED_WHERE_DONE.test(action) ? action : null,
      access: isAdministrative(action) ? 'admin' : also === undefined ? 'open' : 'by request',
    };
  };
}

/** Audited where the change happens, since the names are known there. */
const AUDITED_WHERE_DONE = /^(?:session|profile|members|tokens)\./;

/** Schemas by their name in the OpenAPI document. */
export const SCHEMAS = z.registry<{ id: string }>();

/** Names a schema for the OpenAPI document, where it is first used; other schemas reference it. */
export function named<Schema extends z.ZodType>(id: string, schema: Schema): Schema {
  if (!SCHEMAS.has(schema)) SCHEMAS.add(schema, { id });
  return schema;
}
