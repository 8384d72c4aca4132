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
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export type Tag =
  | 'calls'
  | 'tools'
  | 'saved calls'
  | 'extensions'
  | 'snapshots'
  | 'channels'
  | 'failures'
  | 'sources'
  | 'accounts'
  | 'server';

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

export interface RouteDefinition<Query extends z.ZodObject = z.ZodObject, Body extends z.ZodObject = z.ZodObject> {
  readonly method: Method;
  /** A segment `:name` takes any single non-empty segment; at most one. */
  readonly path: string;
  /** Who may is decided by `lib/access`. */
  readonly action: Action;
  /** A second action that some bodies need as well, such as a saved call that becomes a required check. */
  readonly also?: { readonly action: Action; when(json: unknown, request: Pick<ApiRequest, 'host' | 'parameter'>): boolean };
  /** Which rate limit counts it. Default: none for GET, `writes` for the rest. */
  readonly limit?: 'calls' | 'writes';
  /** The action of its audit entry. Default: `action` where that is administrative and the request writes; null for none. */
  readonly audit?: Action | null;
  /** Unique; what generated clients call it. */
  readonly id: string;
  readonly summary: string;
  readonly tag: Tag;
  /** Description of the variable segment. */
  readonly parameter?: string;
  readonly query?: Query;
  /** Query parameters whose empty value means something; others count as left out. */
  readonly meantEmpty?: readonly string[];
  readonly body?: Body;
  /** The body may be left out. */
  readonly bodyOptional?: true;
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
  exists?(request: Pick<ApiRequest, 'host' | 'parameter' | 'principal' | 'header'>): Result<unknown>;
}

type Answer = Result<unknown> | Response;

export interface Route extends RouteDefinition {
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

/** A definition with its handler. */
export function route<Query extends z.ZodObject = typeof NO_FIELDS, Body extends z.ZodObject = typeof NO_FIELDS>(
  definition: RouteDefinition<Query, Body>,
  handle: (request: ApiRequest<z.output<Query>, z.output<Body>>) => Answer | Promise<Answer>,
): Route {
  const { method, action, also, audit } = definition;
  const writes = method !== 'GET';
  return {
    ...definition,
    limitClass: definition.limit ?? (writes ? 'writes' : null),
    audited: audit !== undefined ? audit : writes && isAdministrative(action) && !AUDITED_WHERE_DONE.test(action) ? action : null,
    access: isAdministrative(action) ? 'admin' : also === undefined ? 'open' : 'by request',
    handle,
  };
}

/** Written by what does it, as that knows the names. */
const AUDITED_WHERE_DONE = /^(?:session|profile|members|tokens)\./;

/** Schemas by the name that the OpenAPI document gives them. */
export const SCHEMAS = z.registry<{ id: string }>();

/** Names a schema for the OpenAPI document; where it is part of another, that one refers to it. */
export function named<Schema extends z.ZodType>(id: string, schema: Schema): Schema {
  if (!SCHEMAS.has(schema)) SCHEMAS.add(schema, { id });
  return schema;
}
