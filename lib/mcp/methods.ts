import { z } from 'zod';
import type { Result } from '@modelcontextprotocol/server';
import type { Asking, Method, Outcome } from './asking.ts';
import { callTool } from './call-tool.ts';
import { invalidParams } from './json-rpc.ts';
import type { Params } from './json-rpc.ts';
import type { McpMethod } from './method-actions.ts';
import { LOG_LEVELS, RPC } from './protocol.ts';
import { getPrompt, listPrompts } from './prompts.ts';
import { listResources, readResource, readUri, RESOURCE_TEMPLATES } from './resources.ts';

/**
 * What the methods do, of both generations: which has which is known to the core, and so is what a result needs beside what
 * is given here. The methods about the protocol itself are the core's, `subscriptions/listen` is with the notices.
 */
const levelSchema = z.looseObject({ level: z.enum(LOG_LEVELS) });
const listSchema = z.looseObject({ cursor: z.string().optional() });

export const METHODS: ReadonlyMap<string, Method> = new Map<McpMethod, Method>([
  ['tools/call', callTool],
  [
    'tools/list',
    listed(({ context, headers, isModern }) => {
      const catalogue = context.catalogues.current(headers.caller);
      return { tools: (isModern ? catalogue.modernTools : catalogue.legacyTools).list };
    }),
  ],
  ['resources/list', listed(({ context }) => ({ resources: listResources(context.host) }))],
  ['resources/templates/list', () => succeed({ resourceTemplates: RESOURCE_TEMPLATES })],
  ['resources/read', (params, { context }) => readResource(context.host, params)],
  ['resources/subscribe', (params, { session }) => withUri(params, (uri) => session?.subscriptions.add(uri))],
  ['resources/unsubscribe', (params, { session }) => withUri(params, (uri) => session?.subscriptions.delete(uri))],
  ['prompts/list', listed(({ context }) => ({ prompts: listPrompts(context.host) }))],
  ['prompts/get', (params, { context }) => getPrompt(context.host, params)],
  [
    'logging/setLevel',
    (params, { session }) => {
      const asked = levelSchema.safeParse(params);
      if (!asked.success) return { ok: false, failure: invalidParams(asked.error, `The level is one of ${LOG_LEVELS.join(', ')}.`) };
      if (session !== null) session.logLevel = asked.data.level;
      return succeed({});
    },
  ],
]);

function succeed(result: Result): Outcome {
  return { ok: true, result };
}

function withUri(params: Params, change: (uri: string) => void): Outcome {
  const asked = readUri(params);
  if (!asked.ok) return asked;
  change(asked.uri);
  return succeed({});
}

/** Lists are whole, so there is nothing after them. */
function listed(list: (asking: Asking) => Result): Method {
  return (params, asking) => {
    const read = listSchema.safeParse(params);
    if (!read.success) return { ok: false, failure: invalidParams(read.error, 'A list takes nothing but a cursor.') };
    if (read.data.cursor === undefined) return succeed(list(asking));
    const message = 'This cursor was not given here: lists are whole. Ask without a cursor.';
    return { ok: false, failure: { code: RPC.invalidParams, message } };
  };
}
