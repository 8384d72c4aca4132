import { appOf } from '#lib/contract/mcp-apps.ts';
import { SERVER_REQUESTS } from '#lib/contract/server-features.ts';
import type { ServerError, ServerFeatures } from '#lib/contract/server-features.ts';
import type { McpCaller, McpExchange } from '#lib/contract/mcp-exchange.ts';
import type { Host } from '#lib/host/host.ts';
import { invalidParams, META, type Outcome, type Params, proxiedMeta, type RequestContext, RPC, type RpcFailure } from './protocol.ts';
import { runAsking } from './caller-answers.ts';

/**
 * Resources, prompts and completion of connected MCP servers. Addresses stay as they are, prompts have their local names. Callers
 * without `servers.use` see none. What can go wrong: an address that no list has, such as one from the result of a tool (asked of
 * the servers with addresses of its scheme); an unreachable server (the error names it).
 */
type Features = ReturnType<Host['servers']['list']>;

interface Index {
  readonly resources: ReadonlyMap<string, string>;
  readonly prompts: ReadonlyMap<string, string>;
  /** By template. */
  readonly templates: ReadonlyMap<string, string>;
  /** Servers with addresses of a scheme, in the order of their ids. */
  readonly schemes: ReadonlyMap<string, readonly string[]>;
}

export interface ProxiedFeatures {
  readonly resources: ServerFeatures['resources'];
  readonly templates: ServerFeatures['resource_templates'];
  readonly prompts: ServerFeatures['prompts'];
}

const NOTHING: ProxiedFeatures = { resources: [], templates: [], prompts: [] };
/** Both depend on one snapshot. */
const listed = new WeakMap<Features, ProxiedFeatures>();
const indexed = new WeakMap<Features, Index>();

export function mayUseServers({ may }: McpCaller): boolean {
  return may('servers.use', null);
}

/** Lists of all servers, without an answer of any. */
export function proxiedFeatures(host: Host): ProxiedFeatures {
  const features = host.servers.list();
  const known = listed.get(features);
  if (known !== undefined) return known;
  const fresh: ProxiedFeatures = {
    resources: features.flatMap((one) => one.features.resources),
    templates: features.flatMap((one) => one.features.resource_templates),
    prompts: features.flatMap((one) => one.features.prompts),
  };
  listed.set(features, fresh);
  return fresh;
}

export function proxiedFeaturesFor(host: Host, { caller }: McpExchange): ProxiedFeatures {
  return mayUseServers(caller) ? proxiedFeatures(host) : NOTHING;
}

/** Null: no server has resources like this one. */
export async function readProxiedResource(uri: string, requestContext: RequestContext): Promise<Outcome | null> {
  const { context, exchange, isModern, ctx } = requestContext;
  const owners = ownersOf(context.host, uri);
  if (owners.length === 0) return null;
  const allowed = await exchange.authorize('servers.use', null);
  if (!allowed.ok)
    return { ok: false, failure: { code: RPC.refused, message: allowed.problem.detail, data: { code: allowed.problem.code } } };
  const { member } = exchange.caller;
  return runAsking(`resources/read ${uri}`, owners, requestContext, async (answerer, signal) => {
    let failed: Outcome = NOT_FOUND;
    for (const owner of owners) {
      const answer = await context.host.servers.request(owner, 'resources/read', { uri, ...proxiedMeta(ctx) }, signal, {
        answerer,
        member,
      });
      if (answer.ok) return { ok: true, result: withoutServerInfo(answer.value) };
      const { code, data = code === RPC.resourceNotFound ? { uri } : undefined } = answer.error;
      failed = { ok: false, failure: failureOf({ ...answer.error, ...(data === undefined ? {} : { data }) }, isModern) };
    }
    return failed;
  });
}

const NOT_FOUND: Outcome = { ok: false, failure: { code: RPC.resourceNotFound, message: 'No server has this resource.' } };

/** Null: no server has this prompt. */
export async function getProxiedPrompt(params: Params, requestContext: RequestContext): Promise<Outcome | null> {
  const { context, exchange, isModern, ctx } = requestContext;
  const asked = SERVER_REQUESTS['prompts/get'].safeParse({ ...params, ...proxiedMeta(ctx) });
  const owner = asked.success && mayUseServers(exchange.caller) ? indexOf(context.host).prompts.get(asked.data.name) : undefined;
  if (!asked.success || owner === undefined) return null;
  return runAsking(`prompts/get ${asked.data.name}`, [owner], requestContext, async (answerer, signal) => {
    const answer = await context.host.servers.request(owner, 'prompts/get', asked.data, signal, {
      answerer,
      member: exchange.caller.member,
    });
    return answer.ok ? { ok: true, result: withoutServerInfo(answer.value) } : { ok: false, failure: failureOf(answer.error, isModern) };
  });
}

export async function complete(params: Params, { context, exchange, isModern, ctx }: RequestContext): Promise<Outcome> {
  const asked = SERVER_REQUESTS['completion/complete'].safeParse({ ...params, ...proxiedMeta(ctx) });
  if (!asked.success)
    return { ok: false, failure: invalidParams(asked.error, 'completion/complete takes a ref to a prompt or template, and an argument.') };
  const { ref } = asked.data;
  const { prompts, templates } = indexOf(context.host);
  const owner = ref.type === 'ref/prompt' ? prompts.get(ref.name) : templates.get(ref.uri);
  // Switchboard's own prompts and templates have no suggestions.
  if (owner === undefined) return { ok: true, result: { completion: { values: [] } } };
  const answer = await context.host.servers.request(owner, 'completion/complete', asked.data, ctx.mcpReq.signal, {
    member: exchange.caller.member,
  });
  return answer.ok ? { ok: true, result: withoutServerInfo(answer.value) } : { ok: false, failure: failureOf(answer.error, isModern) };
}

export type Subscription = { readonly ok: true; release(): void } | { readonly ok: false; readonly failure: RpcFailure };

/** Null: no server has resources like this one. */
export async function subscribeProxied(host: Host, uri: string, caller: McpCaller, isModern: boolean): Promise<Subscription | null> {
  const [owner] = mayUseServers(caller) ? ownersOf(host, uri) : [];
  if (owner === undefined) return null;
  const { servers } = host;
  if (servers.list().find(({ extension }) => extension === owner)?.features.subscriptions !== true) {
    const message = `The MCP server of “${owner}” does not report changes of its resources.`;
    return { ok: false, failure: { code: RPC.methodNotFound, message } };
  }
  const answer = await servers.subscribe(owner, uri);
  return answer.ok
    ? { ok: true, release: () => servers.unsubscribe(owner, uri) }
    : { ok: false, failure: failureOf(answer.error, isModern) };
}

function failureOf({ code, message, data }: ServerError, isModern: boolean): RpcFailure {
  // The stateless protocol has no separate code for an unknown resource.
  const said = isModern && code === RPC.resourceNotFound ? RPC.invalidParams : code;
  return { code: said, message, ...(data === undefined ? {} : { data }) };
}

/** The servers to ask for a resource: its owner, that of the closest template, or those with addresses of its scheme. */
function ownersOf(host: Host, uri: string): readonly string[] {
  const { resources, templates, schemes } = indexOf(host);
  const owner = resources.get(uri) ?? ownerByTemplate(templates, uri);
  return owner === null ? (schemes.get(schemeOf(uri)) ?? []) : [owner];
}

/**
 * By the text around the variables: that suffices to find the server, which then matches the rest. A complete match could take very
 * long with a hostile template.
 */
function ownerByTemplate(templates: Index['templates'], uri: string): string | null {
  let best: { readonly owner: string; readonly length: number } | null = null;
  for (const [template, owner] of templates) {
    const [start, end] = [template.indexOf('{'), template.lastIndexOf('}')];
    const [before, after] = start < 0 || end < start ? [template, ''] : [template.slice(0, start), template.slice(end + 1)];
    const isMatch = uri.length >= before.length + after.length && uri.startsWith(before) && uri.endsWith(after);
    if (isMatch && before.length > (best?.length ?? 0)) best = { owner, length: before.length };
  }
  return best?.owner ?? null;
}

function schemeOf(uri: string): string {
  return uri.slice(0, uri.indexOf(':') + 1).toLowerCase();
}

function indexOf(host: Host): Index {
  const features = host.servers.list();
  const known = indexed.get(features);
  if (known !== undefined) return known;
  const of = (names: (one: ServerFeatures) => readonly string[]): Map<string, string> =>
    new Map(features.flatMap((one) => names(one.features).map((name): [string, string] => [name, one.extension])));
  // Servers may leave the pages of their tools out of their lists.
  const pages = host.tools.list().tools.flatMap(({ extension, meta, available }): [string, string][] => {
    const { uri } = appOf(meta);
    return uri === null || !available ? [] : [[uri, extension]];
  });
  // Of equal addresses the last one stays.
  const firstLast = pages.toSorted(([, one], [, other]) => (one < other ? 1 : -1));
  const resources = new Map([...firstLast, ...of((one) => one.resources.map(({ uri }) => uri))]);
  const templates = of((one) => one.resource_templates.map(({ uriTemplate }) => uriTemplate));
  const schemes = new Map<string, string[]>();
  for (const [uri, owner] of [...resources, ...templates]) {
    const owners = schemes.get(schemeOf(uri)) ?? [];
    if (!owners.includes(owner)) schemes.set(schemeOf(uri), [...owners, owner].toSorted());
  }
  const fresh: Index = { resources, templates, schemes, prompts: of((one) => one.prompts.map(({ name }) => name)) };
  indexed.set(features, fresh);
  return fresh;
}

function withoutServerInfo({ _meta, ...result }: Params): Params {
  const { [META.serverInfo]: _, ...meta }: Params = { ...(typeof _meta === 'object' ? _meta : {}) };
  return Object.keys(meta).length === 0 ? result : { ...result, _meta: meta };
}
