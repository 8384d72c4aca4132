import { Hono } from 'hono';
import { accepts } from 'hono/accepts';
import type { Principal } from '#lib/access/principal.ts';
import type { Action } from '#lib/contract/actions.ts';
import type { AuditDetail } from '#lib/contract/audit.ts';
import type { ProblemCode } from '#lib/contract/problems.ts';
import { ok, refuse } from '#lib/contract/result.ts';
import type { Problem, Result } from '#lib/contract/result.ts';
import type { Tracer } from '#lib/contract/tracing.ts';
import type { Logger } from '#lib/host/logger.ts';
import { answerJson, answerList, answerProblem, drainBody, methodRefusal, NOT_READY, problemOfThrown } from './answer.ts';
import type { RequestAudit } from './middleware/audit.ts';
import type { Authentication } from './middleware/authentication.ts';
import type { ClientAddress } from './middleware/client-address.ts';
import { checkPath, checkSite, pathOf } from './middleware/hosts.ts';
import { parseJsonBody } from './middleware/json-body.ts';
import type { CallerLimits } from './middleware/limits.ts';
import type { RequestMetrics } from './middleware/request-metrics.ts';
import { readIdempotencyKey, type Requester, requesterFor } from './middleware/request-headers.ts';
import { beginRequestSpan } from './middleware/spans.ts';
import { checkHead, parseBody, parseQuery, readBody, searchOf } from './middleware/validation.ts';
import { headerOf, withEncodedId } from './request.ts';
import type { ApiEnv, ApiRequest, ApiServer, RequestHead } from './request.ts';
import { METHODS, NO_FIELDS } from './route.ts';
import type { Answer, Route } from './route.ts';
import { ROUTES } from './routes.ts';
import { findNeeded } from './routes/accounts.ts';

/**
 * The API as one Hono app: everything below `/api`, `/mcp` and the health endpoints. Middleware steps are one function per
 * route, not nested Hono handlers, which would each keep a stack frame and a promise while a call runs.
 */
export type Api = Hono<ApiEnv>;

export interface ApiOptions {
  readonly server: ApiServer;
  readonly authentication: Authentication;
  readonly limits: CallerLimits;
  readonly audit: RequestAudit;
  readonly clientAddress: ClientAddress;
  readonly logger: Logger;
  readonly requests: RequestMetrics;
  /** Null without tracing. */
  readonly tracer: Tracer | null;
}

export function createApi(options: ApiOptions): Api {
  const app = new Hono<ApiEnv>({ getPath: ({ url }, of) => withEncodedId(pathOf(of?.env?.incoming ?? { url })) });
  const refuseUnrouted = (head: ApiEnv['Bindings']['incoming'], problem: Problem): Response =>
    options.requests.answered(answerRefusal(head, problem), { head, route: 'none', begun: performance.now(), principal: null });
  app.onError((error, { env }) => refuseUnrouted(env.incoming, problemOfThrown(error, env.incoming, options.logger)));
  app.notFound(({ env }) => refuseUnrouted(env.incoming, problemOfUnknown(env.incoming, app)));
  for (const route of ROUTES) app.on(route.method, route.path, createHandler(route, options));
  return app;
}

function answerRefusal(request: ApiEnv['Bindings']['incoming'], problem: Problem): Response {
  drainBody(request);
  return answerProblem(problem);
}

function problemOfUnknown(head: RequestHead, { router }: Api): Problem {
  const site = checkSite(head, false);
  if (!site.ok) return site.problem;
  const path = pathOf(head);
  const known = METHODS.filter((method) => router.match(method, withEncodedId(path))[0].length > 0);
  if (known.length > 0) return methodRefusal(head.method, [...known, ...(known.includes('GET') ? ['HEAD'] : [])].toSorted());
  return {
    code: 'not_found',
    detail: `No route at ${path.slice(0, 200)}. The API is below /api/v1: extensions, tools, calls, snapshots, events.`,
  };
}

/** Not yet certain during the first load: another extension may still provide it. */
const UNKNOWN_YET: ReadonlySet<string> = new Set(['extension_not_found', 'tool_not_found', 'channel_not_found'] satisfies ProblemCode[]);
const STILL_LOADING = {
  code: 'not_ready',
  detail: 'The server is still loading its extensions; this may be in one of them. Try again in a second.',
  retryAfter: 1,
} as const;
const NOBODY: Requester = { actor: { name: null }, source: 'api' };

/** Checks of the head, then within the span of the request validation, handler, response and audit. */
function createHandler(route: Route, options: ApiOptions) {
  const { server, authentication, limits, audit, clientAddress, logger, requests, tracer } = options;
  const names = Array.from(route.path.matchAll(/:(\w+)/g), ([, name = '']) => name);

  /** Authorization precedes validation and 404. */
  async function checkEntry(head: RequestHead, resource: string | null): Promise<Result<Principal>> {
    const site = checkSite(head, route.openedFromElsewhere === true);
    if (!site.ok) return site;
    const path = checkPath(pathOf(head));
    if (!path.ok) return path;
    const allowed = await authentication.admit(head, route.action, resource);
    if (!allowed.ok) return allowed;
    // The body decides whether the second action is needed; a sent admin token is checked here, where attempts are counted.
    if (route.also !== undefined && head.headers['x-admin-token'] !== undefined) {
      const more = await authentication.admit(head, route.also.action, resource);
      if (!more.ok) return more;
    }
    const valid = checkHead(head, route);
    if (!valid.ok) return valid;
    if (route.early !== undefined) return allowed;
    if (server.host === null) return NOT_READY;
    return server.isStopping ? refuse('shutting_down', 'The server is stopping.', { retryAfter: 2 }) : allowed;
  }

  /** Names that are being added. */
  const adding = new Set<string>();

  async function handle(context: ApiRequest['context'], principal: Principal, entry: Entry): Promise<Answer> {
    const head = context.env.incoming;
    const { host } = server;
    if (host === null) return route.early?.({ context, server, principal }) ?? NOT_READY;
    const [parameter = '', part = ''] = names.map((name) => context.req.param(name));
    const header = (name: string): string | undefined => headerOf(head, name);
    const isRead = route.method === 'GET' || route.readsBody === true;
    const bytes = isRead ? ok(NO_BYTES) : await readBody(head);
    if (!bytes.ok) return bytes;
    const requester = isRead ? ok(NOBODY) : requesterFor(principal, header);
    if (!requester.ok) return requester;
    const key = route.runsTool === true ? readIdempotencyKey(principal, header) : ok(null);
    if (!key.ok) return key;
    // No getters: V8 would create a hidden class per object, which retains what the getter captures.
    const known = { host, parameter, part, principal, header, key: key.value };
    const needed = route.needs === undefined ? ok(null) : findNeeded(route.needs, known, clientAddress(head));
    if (!needed.ok) return needed;
    const exists = route.exists?.(known) ?? ok(null);
    if (!exists.ok) return exists;

    const json = bytes.value.length === 0 ? ok({}) : parseJsonBody(bytes.value);
    if (!json.ok) return json;
    if (route.also !== undefined && (await route.also.when(json.value, known))) {
      const more = await authentication.admit(head, route.also.action, parameter === '' ? null : parameter);
      if (!more.ok) return more;
      entry.action = route.also.action;
    }
    const body = isRead ? ok({}) : parseBody(route.body ?? NO_FIELDS, json.value);
    if (!body.ok) return body;
    const query = route.query === undefined ? ok({}) : parseQuery(route.query, new URLSearchParams(searchOf(head)), route.meantEmpty);
    if (!query.ok) return query;
    const request = {
      ...known,
      ...needed.value,
      context,
      server,
      query: query.value,
      body: body.value,
      requester: requester.value,
      note: (detail) => void Object.assign(entry.detail, detail),
    } satisfies ApiRequest;
    if (route.detail !== undefined) request.note(route.detail(request));
    if (route.replaces === undefined || header('if-none-match')?.trim() !== '*') return route.handle(request);
    const refusal = refuse('already_exists', `“${parameter.slice(0, 80)}” exists already. Choose another name, or replace it.`);
    // Of two at the same time, one adds it.
    if (adding.has(parameter)) return refusal;
    adding.add(parameter);
    try {
      return (await route.replaces(known)) ? refusal : await route.handle(request);
    } finally {
      adding.delete(parameter);
    }
  }

  const refuseThrown = (error: unknown, head: ApiEnv['Bindings']['incoming']): Result<never> => ({
    ok: false,
    problem: problemOfThrown(error, head, logger),
  });

  function toResponse(context: ApiRequest['context'], answered: Answer): Response | Promise<Response> {
    const head = context.env.incoming;
    if (answered instanceof Response) return answered;
    if (answered.ok) {
      const { value } = answered;
      if (route.keepsText !== true || typeof value !== 'object' || value === null) return answerJson(200, JSON.stringify(value));
      const takesGzip = accepts(context, { header: 'Accept-Encoding', supports: ['gzip'], default: 'identity' }) === 'gzip';
      return answerList(value, headerOf(head, 'if-none-match'), takesGzip);
    }
    const isLoading = UNKNOWN_YET.has(answered.problem.code) && server.host?.health().status === 'starting';
    return answerRefusal(head, isLoading ? STILL_LOADING : answered.problem);
  }

  const observed = (response: Response, head: RequestHead, begun: number, principal: Principal | null): Response =>
    requests.answered(response, { head, route: route.path, begun, principal });

  return async (context: ApiRequest['context']): Promise<Response> => {
    const { incoming, outgoing } = context.env;
    const begun = performance.now();
    const resource = (names[0] === undefined ? undefined : context.req.param(names[0])) || null;
    const allowed = await checkEntry(incoming, resource).catch((error: unknown) => refuseThrown(error, incoming));
    if (!allowed.ok) return observed(answerRefusal(incoming, allowed.problem), incoming, begun, null);
    const principal = allowed.value;
    const entered = limits.enter(route, incoming, principal);
    if (!entered.ok) return observed(answerRefusal(incoming, entered.problem), incoming, begun, principal);

    const entry: Entry = { action: route.audited, detail: {} };
    const work = async (): Promise<Response> => toResponse(context, await handle(context, principal, entry));
    const traced = tracer === null || route.untraced === true ? work() : beginRequestSpan(tracer, incoming, outgoing, route.path).run(work);
    const answered = await traced.catch((error: unknown) => answerRefusal(incoming, problemOfThrown(error, incoming, logger)));
    observed(answered, incoming, begun, principal);
    void (context.get('sent') ?? Promise.resolve()).then(entered.value);
    if (entry.action === null) return answered;
    const { status } = answered;
    const outcome = status < 400 ? 'done' : status === 401 || status === 403 ? 'refused' : 'failed';
    const request = `${route.method} ${route.path}`;
    audit(incoming, principal, entry.action, resource, outcome, { request, ...(outcome === 'done' ? {} : { status }), ...entry.detail });
    return answered;
  };
}

const NO_BYTES = Buffer.alloc(0);

interface Entry {
  /** Null for none. */
  action: Action | null;
  readonly detail: AuditDetail;
}
