import { ok, refuse } from '#lib/contract/result.ts';
import type { CallService } from '#lib/calls/call-service.ts';
import type { IdempotentCalls } from '#lib/calls/idempotent-calls.ts';
import type { HostCalls } from './host.ts';

/** The calls as pages, routes and agents ask for them. */
export function createHostCalls(calls: CallService, idempotent: IdempotentCalls): HostCalls {
  return {
    start: (request) => calls.start({ ...request, actor: request.actor.name }),
    startOnce: (key, request) => idempotent.start(key, { ...request, actor: request.actor.name }),
    list: (filter) => calls.list(filter),
    stats: async (query) => ok(await calls.stats(query)),
    lastHour: async () => ok(await calls.lastHour()),
    get: (id) => calls.get(id),
    cancel: (id) => calls.cancel(id),
    async replay(id, { arguments: args, actor, ...request }) {
      const original = calls.get(id);
      if (!original.ok) return original;
      const { tool, redacted, arguments: old } = original.value;
      if (args === null && redacted.length > 0) {
        return refuse(
          'redacted_arguments',
          `The arguments at ${redacted.join(', ')} were redacted and cannot be replayed. Send new arguments in the body: {"arguments": {…}}.`,
        );
      }
      return calls.start({ ...request, tool, arguments: args ?? asArguments(old), actor: actor.name, replayOf: id });
    },
  };
}

function asArguments(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.fromEntries(Object.entries(value)) : {};
}
