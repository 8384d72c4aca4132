import { z } from 'zod';
import type { McpCaller, McpHeaders, McpPost, McpReply, McpText } from '#lib/contract/mcp-exchange.ts';
import type { Host } from '#lib/host/host.ts';
import type { Authoring } from './authoring.ts';
import { clientInfoSchema, clientName } from './client-names.ts';
import { callTool } from './call-tool.ts';
import type { ToolCaller } from './call-tool.ts';
import { failureText, invalidParams, resultText, unknownMethod } from './json-rpc.ts';
import type { RpcFailure, RpcRequest } from './json-rpc.ts';
import { isMethod, refusalOf } from './method-actions.ts';
import type { ModernCaller } from './modern-request.ts';
import type { Notices } from './notices.ts';
import { HEADERS, isLegacyVersion, LATEST_LEGACY_VERSION, LOG_LEVELS, META, MODERN_VERSION, RPC } from './protocol.ts';
import { getPrompt, listPrompts } from './prompts.ts';
import { listResources, readResource, readUri, RESOURCE_TEMPLATES } from './resources.ts';
import type { Session, Sessions } from './sessions.ts';
import type { Catalogues, ServerInfo } from './tool-catalogue.ts';

/** The methods of both generations over the same catalogue. What is made for a request is made for that request alone. */
export interface MethodsContext {
  readonly host: Host;
  readonly server: ServerInfo;
  readonly catalogues: Catalogues;
  readonly authoring: Authoring | null;
  readonly sessions: Sessions;
  readonly notices: Notices;
}

/** What a client is told there is, it asks for, and may give up where it is refused: so only what its sender may. */
function capabilitiesOf({ may }: McpCaller) {
  return {
    tools: { listChanged: true },
    logging: {},
    ...(may('resources.read', null) ? { resources: { listChanged: true, subscribe: true } } : {}),
    ...(may('saved_calls.read', null) ? { prompts: { listChanged: true } } : {}),
  };
}

const initializeSchema = z.looseObject({ protocolVersion: z.string(), capabilities: z.looseObject({}), clientInfo: clientInfoSchema });
const levelSchema = z.looseObject({ level: z.enum(LOG_LEVELS) });
const listSchema = z.looseObject({ cursor: z.string().optional() });

/** Of the 2025 protocols. `session` is null for a client that goes without. */
export async function answerLegacy(
  request: RpcRequest,
  session: Session | null,
  headers: McpHeaders,
  reply: McpReply,
  context: MethodsContext,
): Promise<void> {
  const { host, server, catalogues, authoring, sessions } = context;
  const { id, method, params } = request;
  const sender = headers.caller;
  const answer = (text: McpText, more?: Record<string, string>): void => reply.answer(200, text, more);
  const fail = (failure: RpcFailure): void => reply.answer(failure.status, failureText(id, failure));
  const succeed = (result: unknown): void => answer(resultText(id, JSON.stringify(result)));
  if (!isMethod(method)) return fail(unknownMethod(method, 200));
  const refusal = refusalOf({ ...request, method }, headers);
  if (refusal !== null) return fail(refusal);

  switch (method) {
    case 'initialize': {
      const asked = initializeSchema.safeParse(params);
      if (!asked.success) return fail(invalidParams(asked.error, 'initialize takes protocolVersion, capabilities and clientInfo.'));
      const { protocolVersion: wanted, clientInfo } = asked.data;
      const protocolVersion = isLegacyVersion(wanted) ? wanted : LATEST_LEGACY_VERSION;
      const opened = sessions.open(protocolVersion, clientName(clientInfo.name), sender.key);
      const { instructions } = catalogues.current(sender);
      const result = {
        protocolVersion,
        capabilities: capabilitiesOf(sender),
        serverInfo: server,
        ...(instructions === '' ? {} : { instructions }),
      };
      return answer(resultText(id, JSON.stringify(result)), { [HEADERS.session]: opened.id });
    }
    case 'ping':
      return succeed({});
    case 'tools/list': {
      const fault = checkCursor(params);
      return fault === null ? answer(resultText(id, catalogues.current(sender).legacyList)) : fail(fault);
    }
    case 'tools/call': {
      const caller: ToolCaller = {
        clientName: session?.clientName ?? null,
        logLevel: session?.logLevel ?? null,
        generation: '2025',
        running: session?.calls ?? null,
      };
      return callTool(request, { host, server, authoring, catalogue: catalogues.current(sender), headers, reply, caller });
    }
    case 'logging/setLevel': {
      const asked = levelSchema.safeParse(params);
      if (!asked.success) return fail(invalidParams(asked.error, `The level is one of ${LOG_LEVELS.join(', ')}.`));
      if (session !== null) session.logLevel = asked.data.level;
      return succeed({});
    }
    case 'resources/list': {
      const fault = checkCursor(params);
      return fault === null ? succeed({ resources: listResources(host) }) : fail(fault);
    }
    case 'resources/templates/list':
      return succeed({ resourceTemplates: RESOURCE_TEMPLATES });
    case 'resources/read': {
      const asked = readUri(params);
      if (!asked.ok) return fail(asked.failure);
      const read = await readResource(host, asked.uri, '2025');
      return read.ok ? succeed({ contents: read.contents }) : fail(read.failure);
    }
    case 'prompts/list': {
      const fault = checkCursor(params);
      return fault === null ? succeed({ prompts: listPrompts(host) }) : fail(fault);
    }
    case 'prompts/get': {
      const found = getPrompt(host, params);
      return found.ok ? succeed(found.result) : fail(found.failure);
    }
    case 'resources/subscribe':
    case 'resources/unsubscribe': {
      const asked = readUri(params);
      if (!asked.ok) return fail(asked.failure);
      if (method === 'resources/unsubscribe') session?.subscriptions.delete(asked.uri);
      else session?.subscriptions.add(asked.uri);
      return succeed({});
    }
    default:
      return fail(unknownMethod(method, 200));
  }
}

/** Of the stateless protocol. */
export async function answerModern(
  request: RpcRequest,
  { clientName: name, logLevel }: ModernCaller,
  exchange: McpPost,
  context: MethodsContext,
): Promise<void> {
  const { host, server, catalogues, authoring, notices } = context;
  const { id, method, params } = request;
  const sender = exchange.caller;
  const fail = (failure: RpcFailure): void => exchange.answer(failure.status, failureText(id, failure));
  const succeed = (result: Record<string, unknown>): void => {
    const whole = { ...result, ttlMs: 0, cacheScope: 'private', resultType: 'complete', _meta: { [META.serverInfo]: server } };
    exchange.answer(200, resultText(id, JSON.stringify(whole)));
  };
  if (!isMethod(method)) return fail(unknownMethod(method, 404));
  const refusal = refusalOf({ ...request, method }, exchange);
  if (refusal !== null) return fail(refusal);

  switch (method) {
    case 'server/discover': {
      const { instructions } = catalogues.current(sender);
      return succeed({
        supportedVersions: [MODERN_VERSION],
        capabilities: capabilitiesOf(sender),
        ...(instructions === '' ? {} : { instructions }),
      });
    }
    case 'tools/list': {
      const fault = checkCursor(params);
      return fault === null ? exchange.answer(200, resultText(id, catalogues.current(sender).modernList)) : fail(fault);
    }
    case 'tools/call': {
      const caller: ToolCaller = { clientName: name, logLevel, generation: MODERN_VERSION, running: null };
      return callTool(request, {
        host,
        server,
        authoring,
        catalogue: catalogues.current(sender),
        headers: exchange,
        reply: exchange,
        caller,
      });
    }
    case 'subscriptions/listen':
      return notices.listen(request, exchange);
    case 'resources/list': {
      const fault = checkCursor(params);
      return fault === null ? succeed({ resources: listResources(host) }) : fail(fault);
    }
    case 'resources/templates/list':
      return succeed({ resourceTemplates: RESOURCE_TEMPLATES });
    case 'resources/read': {
      const asked = readUri(params);
      if (!asked.ok) return fail(asked.failure);
      const read = await readResource(host, asked.uri, MODERN_VERSION);
      return read.ok ? succeed({ contents: read.contents }) : fail(read.failure);
    }
    case 'prompts/list': {
      const fault = checkCursor(params);
      return fault === null ? succeed({ prompts: listPrompts(host) }) : fail(fault);
    }
    case 'prompts/get': {
      const found = getPrompt(host, params);
      return found.ok ? succeed(found.result) : fail(found.failure);
    }
    default:
      return fail(unknownMethod(method, 404));
  }
}

/** Lists are whole, so there is nothing after them. */
function checkCursor(params: RpcRequest['params']): RpcFailure | null {
  const read = listSchema.safeParse(params);
  if (!read.success) return invalidParams(read.error, 'A list takes nothing but a cursor.');
  if (read.data.cursor === undefined) return null;
  return { status: 200, code: RPC.invalidParams, message: 'This cursor was not given here: lists are whole. Ask without a cursor.' };
}
