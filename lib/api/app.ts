import { Hono } from 'hono';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { ProblemCode } from '#lib/contract/problems.ts';
import { ok, refuse } from '#lib/contract/result.ts';
import type { Result } from '#lib/contract/result.ts';
import type { Tracer } from '#lib/contract/tracing.ts';
import type { Logger } from '#lib/host/logger.ts';
import { answerJson, answerList, answerProblem } from './answer.ts';
import type { RequestAudit } from './middleware/audit.ts';
import type { Authentication } from './middleware/authentication.ts';
import type { ClientAddress } from './middleware/client-address.ts';
import { checkHeads, checkPath, checkSite, pathOf } from './middleware/hosts.ts';
import type { HeadCheck } from './middleware/hosts.ts';
import { readIdempotencyKey } from './middleware/call-headers.ts';
import { parseJsonBody } from './middleware/json-body.ts';
import { limitRate } from './middleware/limits.ts';
import type { CallerLimits } from './middleware/limits.ts';
import { requesterFor } from './middleware/requester.ts';
import type { Requester } from './middleware/requester.ts';
import { traced } from './middleware/spans.ts';
import { parseBody, parseQuery, readBytes, searchOf, validateHead } from './middleware/validation.ts';
import { methodRefusal, problemOfThrown } from './problem.ts';
import { headerOf, headOf, withWholeId } from './request.ts';
import type { ApiContext, ApiEnv, ApiRequest, ApiServer, Check } from './request.ts';
import { NO_FIELDS } from './route.ts';
import type { Route } from './route.ts';
import { methodsAt, ROUTES } from './routes.ts';

/**
 * The API as one Hono app: middleware in order, then routes. It answers everything below `/api`, `/mcp` and the health
 * endpoints.
 */
export type Api = Hono<ApiEnv>;

export interface ApiOptions {
  readonly server: ApiServer;
  readonly heads: HeadCheck;
  readonly authentication: Authentication;
  readonly limits: CallerLimits;
  readonly audit: RequestAudit;
  readonly clientAddress: ClientAddress;
  readonly logger: Logger;
  /** Null without tracing. */
  readonly tracer: Tracer | null;
}

export function createApi(options: ApiOptions): Api {
  const { server, heads, authentication, limits, audit, logger, tracer } = options;
  const app = new Hono<ApiEnv>({
    getPath: (request, of) => withWholeId(of?.env?.incoming ? pathOf(of.env.incoming) : new URL(request.url).pathname),
  });

  const refuseThrown = (context: ApiContext) => (error: unknown) => answerProblem(context, problemOfThrown(error, headOf(context), logger));
  app.onError((error, context) => refuseThrown(context)(error));
  app.notFound(async (context) => {
    const checked = await checkHeads(heads)(context);
    return checked.ok ? refuseUnknown(context) : answerProblem(context, checked.problem);
  });

  for (const route of ROUTES) {
    const checks: readonly Check[] = [
      checkHeads(heads),
      refuseOtherSites(route),
      authorizeFor(route, authentication),
      validateHead(route),
      refuseUnready(route, server),
      limitRate(route, limits),
    ];
    const handle = createHandler(route, options);
    app.on(route.method, route.path, async (context) => {
      for (const check of checks) {
        const checked = await check(context);
        if (!checked.ok) return answerProblem(context, checked.problem);
      }
      const answered = await traced(tracer, route, context, () => handle(context)).catch(refuseThrown(context));
      context.var.leave?.();
      audit.recordAnswered(route, context, answered);
      return answered;
    });
  }
  return app;
}

function refuseUnknown(context: ApiContext): Response {
  const head = headOf(context);
  const site = checkSite(head, false);
  if (!site.ok) return answerProblem(context, site.problem);
  const path = pathOf(head);
  const allow = methodsAt(withWholeId(path));
  if (allow.length > 0) return answerProblem(context, methodRefusal(head.method, allow));
  return answerProblem(context, {
    code: 'not_found',
    detail: `No route at ${path.slice(0, 200)}. The API is below /api/v1: extensions, tools, calls, snapshots, events.`,
  });
}

function refuseOtherSites(route: Route): Check {
  return (context) => {
    const head = headOf(context);
    const site = checkSite(head, route.openedFromElsewhere === true);
    return site.ok ? checkPath(pathOf(head)) : site;
  };
}

function authorizeFor(route: Route, authentication: Authentication): Check {
  const name = /:(\w+)/.exec(route.path)?.[1];
  return async (context) => {
    const head = headOf(context);
    const parameter = name === undefined ? '' : (context.req.param(name) ?? '');
    const resource = parameter === '' ? null : parameter;
    const allowed = await authentication.admit(head, route.action, resource);
    if (!allowed.ok) return allowed;
    // The body decides whether the second action is needed; a sent admin token is checked here, where attempts are counted.
    if (route.also !== undefined && head.headers['x-admin-token'] !== undefined) {
      const more = await authentication.admit(head, route.also.action, resource);
      if (!more.ok) return more;
    }
    context.set('principal', allowed.value);
    context.set('parameter', parameter);
    context.set('audited', route.audited);
    context.set('noted', {});
    context.set('leave', null);
    return allowed;
  };
}

/** Of what the first load may still bring. */
const UNKNOWN_YET: ReadonlySet<string> = new Set(['extension_not_found', 'tool_not_found', 'channel_not_found'] satisfies ProblemCode[]);
const STILL_LOADING = {
  code: 'not_ready',
  detail: 'The server is still loading its extensions; this may be in one of them. Try again in a second.',
  retryAfter: 1,
} as const;
const NOT_READY = { code: 'not_ready', detail: 'The server is starting. Try again in a second.', retryAfter: 1 } as const;

function refuseUnready(route: Route, server: ApiServer): Check {
  return () => {
    if (route.early !== undefined) return ok(null);
    if (server.host === null) return { ok: false, problem: NOT_READY };
    return server.isStopping ? refuse('shutting_down', 'The server is stopping.', { retryAfter: 2 }) : ok(null);
  };
}

/** The second variable segment. */
function partOf(context: ApiContext, { path }: Route): string {
  const [, name] = path.matchAll(/:(\w+)/g);
  return name?.[1] === undefined ? '' : (context.req.param(name[1]) ?? '');
}

const NOBODY: Requester = { actor: { name: null }, source: 'api' };

/** Validation, handler, response. */
function createHandler(route: Route, { server, authentication, clientAddress }: ApiOptions): (context: ApiContext) => Promise<Response> {
  return async (context) => {
    const head = headOf(context);
    const { principal, parameter } = context.var;
    const header = (name: string): string | undefined => headerOf(head, name);
    const refused = ({ problem }: Result<unknown> & { ok: false }): Response =>
      answerProblem(context, UNKNOWN_YET.has(problem.code) && server.host?.health().status === 'starting' ? STILL_LOADING : problem);

    const isRead = route.method === 'GET' || route.readsBody === true;
    const bytes = isRead ? null : await readBytes(context);
    if (!isRead && bytes === null) return RESPONSE_ALREADY_SENT;
    if (bytes !== null && !bytes.ok) return refused(bytes);
    const requester = isRead ? ok(NOBODY) : requesterFor(principal, header);
    if (!requester.ok) return refused(requester);
    const { host } = server;
    if (host === null) return route.early?.({ context, server, principal }) ?? answerProblem(context, NOT_READY);
    // No getters: V8 would create a hidden class per object, which retains what the getter captures.
    const key = route.runsTool === true ? readIdempotencyKey(principal, header) : ok(null);
    if (!key.ok) return refused(key);
    const known = { host, parameter, part: partOf(context, route), principal, header, key: key.value };
    const exists = route.exists?.(known) ?? ok(null);
    if (!exists.ok) return refused(exists);

    const json = bytes === null || bytes.value.length === 0 ? ok({}) : parseJsonBody(bytes.value);
    if (!json.ok) return refused(json);
    if (route.also !== undefined && (await route.also.when(json.value, known))) {
      const more = await authentication.admit(head, route.also.action, parameter === '' ? null : parameter);
      if (!more.ok) return refused(more);
      context.set('audited', route.also.action);
    }
    const body = isRead ? ok({}) : parseBody(route.body ?? NO_FIELDS, json.value);
    if (!body.ok) return refused(body);
    const query = route.query === undefined ? ok({}) : parseQuery(route.query, new URLSearchParams(searchOf(head)), route.meantEmpty);
    if (!query.ok) return refused(query);

    const request: ApiRequest = {
      ...known,
      context,
      server,
      address: clientAddress(head),
      query: query.value,
      body: body.value,
      requester: requester.value,
      note: (detail) => context.set('noted', { ...context.var.noted, ...detail }),
    };
    const result = await route.handle(request);
    if (result instanceof Response) return result;
    if (!result.ok) return refused(result);
    if (route.keepsText === true && typeof result.value === 'object' && result.value !== null)
      return answerList(context, result.value, header('if-none-match'));
    return answerJson(context, 200, JSON.stringify(result.value));
  };
}
