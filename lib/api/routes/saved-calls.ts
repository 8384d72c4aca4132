import { API } from '#lib/contract/paths.ts';
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
import { answerJson } from '../answer.ts';
import { readIdempotencyKey, REPLAYED } from '../middleware/idempotency-key.ts';
import { wantsAsync } from '../middleware/wants-async.ts';
import { named, route } from '../route.ts';

const SavedCall = named('SavedCall', savedCallSchema);
const savedCall = { tag: 'saved calls', parameter: 'The id of the saved call.' } as const;

export const savedCallRoutes = [
  route(
    {
      method: 'GET',
      path: '/api/v1/saved-calls',
      action: 'saved_calls.read',
      id: 'listSavedCalls',
      summary: 'The saved calls of a tool, by name, each with its last run.',
      tag: 'saved calls',
      query: savedCallFilterSchema,
      response: named('SavedCallList', savedCallListSchema),
    },
    ({ host, query }) => ok(host.savedCalls.list(query.tool)),
  ),
  route(
    {
      method: 'POST',
      path: '/api/v1/saved-calls',
      action: 'saved_calls.write',
      // Administrative when new revisions have to pass it.
      also: { action: 'checks.require', when: asksToBeRequired },
      id: 'saveCall',
      summary: 'Save a call under a name; with an expectation it is a check.',
      tag: 'saved calls',
      body: named('SaveCall', saveCallSchema),
      response: SavedCall,
      problems: ['tool_not_found', 'state_conflict'],
    },
    ({ host, body, requester, note }) => {
      note({ tool: body.tool, name: body.name });
      return host.savedCalls.save(body, requester.actor);
    },
  ),
  route(
    {
      ...savedCall,
      method: 'GET',
      path: '/api/v1/saved-calls/:id',
      action: 'saved_calls.read',
      id: 'getSavedCall',
      summary: 'One saved call.',
      response: SavedCall,
      problems: ['saved_call_not_found'],
    },
    ({ host, parameter }) => host.savedCalls.get(parameter),
  ),
  route(
    {
      ...savedCall,
      method: 'PATCH',
      path: '/api/v1/saved-calls/:id',
      action: 'saved_calls.write',
      // Administrative when new revisions have, or had, to pass it.
      also: {
        action: 'checks.require',
        when(json, { host, parameter }) {
          const saved = host.savedCalls.get(parameter);
          return asksToBeRequired(json) || (saved.ok && saved.value.required);
        },
      },
      id: 'changeSavedCall',
      summary: 'Set its name, arguments, timeout or expectation; fields that are left out stay.',
      body: named('SavedCallChange', savedCallChangeSchema),
      response: SavedCall,
      problems: ['saved_call_not_found', 'tool_not_found', 'state_conflict'],
    },
    ({ host, parameter, body, requester, note }) => {
      const saved = host.savedCalls.get(parameter);
      if (saved.ok) note({ tool: saved.value.tool, name: saved.value.name, required: body.required ?? saved.value.required });
      return host.savedCalls.change(parameter, body, requester.actor);
    },
  ),
  route(
    {
      ...savedCall,
      method: 'DELETE',
      path: '/api/v1/saved-calls/:id',
      action: 'saved_calls.erase',
      id: 'deleteSavedCall',
      summary: 'Delete it; the response is what it was.',
      response: SavedCall,
      problems: ['saved_call_not_found'],
    },
    async ({ host, parameter, requester, note }) => {
      const removed = await host.savedCalls.remove(parameter, requester.actor);
      if (removed.ok) note({ tool: removed.value.tool, name: removed.value.name });
      return removed;
    },
  ),
  route(
    {
      ...savedCall,
      method: 'POST',
      path: '/api/v1/saved-calls/:id/run',
      action: 'saved_calls.run',
      limit: 'calls',
      id: 'runSavedCall',
      summary: 'Call the tool as it was saved, and check the result; with `Prefer: respond-async` the running call, at once.',
      body: named('RunSavedCall', runSavedCallSchema),
      bodyOptional: true,
      response: named('SavedCallOutcome', savedCallOutcomeSchema),
      runsTool: true,
      problems: ['saved_call_not_found', 'tool_not_found', 'redacted_arguments', 'too_many_calls'],
    },
    async ({ context, host, parameter, body, requester, principal, header }) => {
      const key = readIdempotencyKey(principal, header);
      if (!key.ok) return key;
      const { source, actor } = requester;
      const started = await host.savedCalls.start(parameter, body.arguments ?? null, source, actor, key.value);
      if (!started.ok) return started;
      const { savedCall: saved, callId, isRepeated, finished } = started.value;
      const replayed = isRepeated ? REPLAYED : {};
      if (!wantsAsync(header('prefer'))) return answerJson(context, 200, JSON.stringify(await finished), replayed);
      finished.catch((error: unknown) => host.logger.error('A saved call could not be checked', { call_id: callId, error }));
      const running = host.calls.get(callId);
      if (!running.ok) return running;
      const outcome: SavedCallOutcome = { saved_call: saved, call: running.value };
      const headers = { ...replayed, location: API.call(callId), 'preference-applied': 'respond-async' };
      return answerJson(context, 202, JSON.stringify(outcome), headers);
    },
  ),
];

/** Seen in the raw JSON, before it is validated: authorization comes first. */
function asksToBeRequired(json: unknown): boolean {
  return typeof json === 'object' && json !== null && Object.entries(json).some(([key, given]) => key === 'required' && given === true);
}
