import type { Operation } from './operation.ts';

const of = { tag: 'saved calls', parameter: 'The id of the saved call.' } as const;
const keeps = ['tool_not_found', 'state_conflict'] as const;

export const SAVED_CALL_OPERATIONS: Readonly<Record<string, Operation>> = {
  'GET /api/v1/saved-calls': {
    id: 'listSavedCalls',
    summary: 'The saved calls of a tool, by name, each with its last run.',
    tag: 'saved calls',
    query: 'savedCalls',
    answer: 'SavedCallList',
  },
  'POST /api/v1/saved-calls': {
    id: 'saveCall',
    summary: 'Keep a call under a name; with an expectation it is a check.',
    tag: 'saved calls',
    body: 'SaveCall',
    answer: 'SavedCall',
    problems: keeps,
  },
  'GET /api/v1/saved-calls/:id': {
    ...of,
    id: 'getSavedCall',
    summary: 'One saved call.',
    answer: 'SavedCall',
    problems: ['saved_call_not_found'],
  },
  'PATCH /api/v1/saved-calls/:id': {
    ...of,
    id: 'changeSavedCall',
    summary: 'Set its name, arguments, timeout or expectation; what is not named stays.',
    body: 'SavedCallChange',
    answer: 'SavedCall',
    problems: ['saved_call_not_found', ...keeps],
  },
  'DELETE /api/v1/saved-calls/:id': {
    ...of,
    id: 'deleteSavedCall',
    summary: 'Delete it; the answer is what it was.',
    answer: 'SavedCall',
    problems: ['saved_call_not_found'],
  },
  'POST /api/v1/saved-calls/:id/run': {
    ...of,
    id: 'runSavedCall',
    summary: 'Call the tool as it was saved, and judge what comes of it; with `Prefer: respond-async` the running call, at once.',
    body: 'RunSavedCall',
    answer: 'SavedCallOutcome',
    problems: ['saved_call_not_found', 'tool_not_found', 'redacted_arguments', 'too_many_calls'],
  },
};
