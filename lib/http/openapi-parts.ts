import { PROBLEMS } from '#lib/contract/problems.ts';
import type { ProblemCode } from '#lib/contract/problems.ts';
import type { Route } from './routes.ts';

/** Parts of the OpenAPI document that routes and tools have in common. */

type JsonObject = Record<string, unknown>;

/** What a client may say besides. */
export function headerParameters(route: Pick<Route, 'lane' | 'method'> & Partial<Pick<Route, 'action'>>): JsonObject[] {
  const text = { type: 'string' };
  const actor = { name: 'x-actor', in: 'header', description: 'Who asks, for the history; percent-encoded UTF-8.', schema: text };
  if (route.lane === 'events') return [{ name: 'Last-Event-ID', in: 'header', description: 'Resume after this event.', schema: text }];
  const prefer = { name: 'Prefer', in: 'header', description: '`respond-async`: answer with the running call.', schema: text };
  if (route.action === 'calls.replay') return [actor, prefer];
  if (route.lane !== 'call') return route.method === 'GET' ? [] : [actor];
  const key = {
    name: 'Idempotency-Key',
    in: 'header',
    description: 'Run once, however often this is sent with the same key.',
    schema: text,
  };
  return [actor, prefer, key];
}

/** Refusals by status, each with the codes that can stand in it. */
export function problemResponses(codes: readonly ProblemCode[]): JsonObject {
  const byStatus = Map.groupBy(new Set(codes), (code) => PROBLEMS[code].status);
  return Object.fromEntries(
    [...byStatus].map(([status, listed]) => [
      String(status),
      {
        description: listed.map((code) => `\`${code}\`: ${PROBLEMS[code].title}`).join('; '),
        content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
      },
    ]),
  );
}
