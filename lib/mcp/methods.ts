import { z } from 'zod';
import type { Result } from '@modelcontextprotocol/server';
import type { Asking, Method, Outcome } from './asking.ts';
import { callTool } from './call-tool.ts';
import { invalidParams } from './json-rpc.ts';
import type { Params } from './json-rpc.ts';
import type { McpMethod } from './method-actions.ts';
import { HEADERS, LOG_LEVELS, RPC } from './protocol.ts';
import { complete, getPassedOnPrompt, passedOnTo, subscribePassedOn } from './passed-on.ts';
import { getPrompt, listPrompts } from './prompts.ts';
import { isOwnUri, listResources, readResource, readUri, RESOURCE_TEMPLATES } from './resources.ts';
import { cancelTask, getTask, listTasks, resultOfTask } from './tasks.ts';

/**
 * The methods of both generations. The SDK knows which generation has which, adds common result fields, and handles methods of
 * the protocol itself; notices.ts handles `subscriptions/listen`.
 */
const levelSchema = z.looseObject({ level: z.enum(LOG_LEVELS) });
const listSchema = z.looseObject({ cursor: z.string().optional() });

export const METHODS: ReadonlyMap<string, Method> = new Map<McpMethod, Method>([
  ['tools/call', callTool],
  [
    'tools/list',
    listed(({ context, exchange, isModern }) => {
      const catalogue = context.catalogues.current(exchange.caller);
      return { tools: (isModern ? catalogue.modernTools : catalogue.legacyTools).list };
    }),
  ],
  [
    'resources/list',
    listed(async ({ context, exchange }) => ({
      resources: [...(await listResources(context.host)), ...passedOnTo(context.host, exchange).resources],
    })),
  ],
  [
    'resources/templates/list',
    listed(({ context, exchange }) => ({
      resourceTemplates: [...RESOURCE_TEMPLATES, ...passedOnTo(context.host, exchange).templates],
    })),
  ],
  ['tasks/get', getTask],
  ['tasks/result', resultOfTask],
  ['tasks/list', listed(listTasks)],
  ['tasks/cancel', cancelTask],
  ['resources/read', readResource],
  ['resources/subscribe', subscribe],
  ['resources/unsubscribe', unsubscribe],
  [
    'prompts/list',
    listed(async ({ context, exchange }) => {
      const own = await listPrompts(context.host);
      const names = new Set(own.map(({ name }) => name));
      return { prompts: [...own, ...passedOnTo(context.host, exchange).prompts.filter(({ name }) => !names.has(name))] };
    }),
  ],
  [
    'prompts/get',
    async (params, asking) => {
      const own = await getPrompt(asking.context.host, params);
      return own.ok ? own : ((await getPassedOnPrompt(params, asking)) ?? own);
    },
  ],
  ['completion/complete', complete],
  [
    'logging/setLevel',
    (params, { session, context }) => {
      const asked = levelSchema.safeParse(params);
      if (!asked.success) return { ok: false, failure: invalidParams(asked.error, 'Nothing was changed.') };
      if (session === null) return NO_SESSION;
      session.logLevel = asked.data.level;
      context.sessions.passOn(session, { do: 'level', level: asked.data.level });
      return succeed({});
    },
  ],
]);

function succeed(result: Result): Outcome {
  return { ok: true, result };
}

const MOST_SUBSCRIPTIONS = 1_000;

/** Settings are stored in the session; clients without one send them with each request. */
const NO_SESSION: Outcome = {
  ok: false,
  failure: {
    status: 400,
    code: RPC.invalidRequest,
    message: `This is kept for a session, and the request names none. Begin one with initialize, and send its ${HEADERS.session} with each request.`,
  },
};

async function subscribe(params: Params, { context, exchange, session, isModern }: Asking): Promise<Outcome> {
  const asked = readUri(params);
  if (!asked.ok) return asked;
  if (session === null) return NO_SESSION;
  const { uri } = asked;
  const { subscriptions } = session;
  if (subscriptions.has(uri)) return succeed({});
  if (subscriptions.size >= MOST_SUBSCRIPTIONS) {
    const message = `A session can be subscribed to ${MOST_SUBSCRIPTIONS.toLocaleString('en')} resources. End one with resources/unsubscribe first.`;
    return { ok: false, failure: { code: RPC.refused, message } };
  }
  const passed = isOwnUri(uri) ? null : await subscribePassedOn(context.host, uri, exchange.caller, isModern);
  if (passed?.ok === false) return passed;
  // It may have been subscribed to twice meanwhile.
  if (subscriptions.has(uri)) passed?.release();
  else subscriptions.set(uri, passed?.release ?? (() => undefined));
  return succeed({});
}

function unsubscribe(params: Params, { session, context }: Asking): Outcome {
  const asked = readUri(params);
  if (!asked.ok) return asked;
  if (session === null) return NO_SESSION;
  session.subscriptions.get(asked.uri)?.();
  if (!session.subscriptions.delete(asked.uri)) context.sessions.passOn(session, { do: 'unsubscribe', uri: asked.uri });
  return succeed({});
}

/** Lists have a single page. */
function listed(list: (asking: Asking) => Result | Promise<Result>): Method {
  return async (params, asking) => {
    const read = listSchema.safeParse(params);
    if (!read.success) return { ok: false, failure: invalidParams(read.error, 'A list takes nothing but a cursor.') };
    if (read.data.cursor === undefined) return succeed(await list(asking));
    const message = 'Unknown cursor. Lists have one page: request without a cursor.';
    return { ok: false, failure: { code: RPC.invalidParams, message } };
  };
}
