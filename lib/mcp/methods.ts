import { z } from 'zod';
import type { Result } from '@modelcontextprotocol/server';
import type { Asking, Method, Outcome } from './asking.ts';
import { callTool } from './call-tool.ts';
import { invalidParams } from './json-rpc.ts';
import type { McpMethod } from './method-actions.ts';
import { HEADERS, LOG_LEVELS, RPC } from './protocol.ts';
import { getPrompt, listPrompts } from './prompts.ts';
import { listResources, readResource, readUri, RESOURCE_TEMPLATES } from './resources.ts';
import type { Session } from './sessions.ts';

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
  ['resources/list', listed(({ context }) => ({ resources: listResources(context.host) }))],
  ['resources/templates/list', () => succeed({ resourceTemplates: RESOURCE_TEMPLATES })],
  ['resources/read', (params, { context, isModern }) => readResource(context.host, params, isModern)],
  ['resources/subscribe', subscription((uri, { subscriptions }) => void subscriptions.add(uri))],
  ['resources/unsubscribe', subscription((uri, { subscriptions }) => void subscriptions.delete(uri))],
  ['prompts/list', listed(({ context }) => ({ prompts: listPrompts(context.host) }))],
  ['prompts/get', (params, { context }) => getPrompt(context.host, params)],
  [
    'logging/setLevel',
    (params, { session }) => {
      const asked = levelSchema.safeParse(params);
      if (!asked.success) return { ok: false, failure: invalidParams(asked.error, 'Nothing was changed.') };
      if (session === null) return NO_SESSION;
      session.logLevel = asked.data.level;
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

function subscription(change: (uri: string, session: Session) => void): Method {
  return (params, { session }) => {
    const asked = readUri(params);
    if (!asked.ok) return asked;
    if (session === null) return NO_SESSION;
    change(asked.uri, session);
    if (session.subscriptions.size <= MOST_SUBSCRIPTIONS) return succeed({});
    session.subscriptions.delete(asked.uri);
    const message = `A session can be subscribed to ${MOST_SUBSCRIPTIONS.toLocaleString('en')} resources. End one with resources/unsubscribe first.`;
    return { ok: false, failure: { code: RPC.refused, message } };
  };
}

/** Lists have a single page. */
function listed(list: (asking: Asking) => Result): Method {
  return (params, asking) => {
    const read = listSchema.safeParse(params);
    if (!read.success) return { ok: false, failure: invalidParams(read.error, 'A list takes nothing but a cursor.') };
    if (read.data.cursor === undefined) return succeed(list(asking));
    const message = 'Unknown cursor. Lists have one page: request without a cursor.';
    return { ok: false, failure: { code: RPC.invalidParams, message } };
  };
}
