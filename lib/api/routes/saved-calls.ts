import { ok } from '#lib/contract/result.ts';
import {
  runSavedCallSchema,
  saveCallSchema,
  savedCallChangeSchema,
  savedCallFilterSchema,
  savedCallListSchema,
  savedCallOutcomeSchema,
  savedCallSchema,
} from '#lib/contract/saved-call.ts';
import type { SavedCallOutcome } from '#lib/contract/saved-call.ts';
import { named, routesOf } from '../route.ts';
import { answerStarted } from './calls.ts';

const route = routesOf({ tag: 'saved calls', parameter: 'The id of the saved call.', unknown: 'saved_call_not_found' });

export const savedCallRoutes = [
  route('GET /api/v1/saved-calls', 'saved_calls.read', 'listSavedCalls', {
    summary: 'The saved calls of a tool, by name, each with its last run.',
    query: savedCallFilterSchema,
    response: named('SavedCallList', savedCallListSchema),
    handle: async ({ host, query }) => ok(await host.savedCalls.list(query.tool)),
  }),
  route('POST /api/v1/saved-calls', 'saved_calls.write', 'saveCall', {
    summary: 'Save a call under a name; with an expectation it is a check.',
    // Administrative if it is a required check.
    also: { action: 'checks.require', when: makesRequired },
    body: named('SaveCall', saveCallSchema),
    response: named('SavedCall', savedCallSchema),
    problems: ['tool_not_found', 'state_conflict'],
    detail: ({ body: { tool, name } }) => ({ tool, name }),
    handle: ({ host, body, requester }) => host.savedCalls.save(body, requester.actor),
  }),
  route('GET /api/v1/saved-calls/:id', 'saved_calls.read', 'getSavedCall', {
    summary: 'One saved call.',
    response: savedCallSchema,
    handle: ({ host, parameter }) => host.savedCalls.get(parameter),
  }),
  route('PATCH /api/v1/saved-calls/:id', 'saved_calls.write', 'changeSavedCall', {
    summary: 'Set its name, arguments, timeout or expectation; omitted fields stay.',
    // Administrative if it is or was a required check.
    also: {
      action: 'checks.require',
      async when(json, { host, parameter }) {
        const saved = await host.savedCalls.get(parameter);
        return makesRequired(json) || (saved.ok && saved.value.required);
      },
    },
    body: named('SavedCallChange', savedCallChangeSchema),
    response: savedCallSchema,
    problems: ['tool_not_found', 'state_conflict'],
    handle: async ({ host, parameter, body, requester, note }) => {
      const saved = await host.savedCalls.get(parameter);
      if (saved.ok) note({ tool: saved.value.tool, name: saved.value.name, required: body.required ?? saved.value.required });
      return host.savedCalls.change(parameter, body, requester.actor);
    },
  }),
  route('DELETE /api/v1/saved-calls/:id', 'saved_calls.erase', 'deleteSavedCall', {
    summary: 'Delete it and return it.',
    response: savedCallSchema,
    handle: async ({ host, parameter, requester, note }) => {
      const removed = await host.savedCalls.remove(parameter, requester.actor);
      if (removed.ok) note({ tool: removed.value.tool, name: removed.value.name });
      return removed;
    },
  }),
  route('POST /api/v1/saved-calls/:id/run', 'saved_calls.run', 'runSavedCall', {
    summary: 'Run the saved call and check its result; with `Prefer: respond-async` returns the running call immediately.',
    body: named('RunSavedCall', runSavedCallSchema),
    response: named('SavedCallOutcome', savedCallOutcomeSchema),
    runsTool: true,
    problems: ['tool_not_found', 'redacted_arguments', 'too_many_calls'],
    handle: async (request) => {
      const { host, parameter, body, requester, key } = request;
      const started = await host.savedCalls.start(parameter, body.arguments ?? null, requester.source, requester.actor, key);
      if (!started.ok) return started;
      const { savedCall, callId: id, isRepeated, finished } = started.value;
      return answerStarted(
        request,
        ok({ id, isRepeated, finished: finished.then((outcome) => JSON.stringify(outcome)) }),
        (call): SavedCallOutcome => ({ saved_call: savedCall, call }),
      );
    },
  }),
];

/** From the raw JSON before validation: authorization comes first. */
function makesRequired(json: unknown): boolean {
  return typeof json === 'object' && json !== null && Object.entries(json).some(([key, given]) => key === 'required' && given === true);
}
