import type { Operation } from './operation.ts';

const of = { tag: 'failures', parameter: 'The id of the group.', problems: ['failure_not_found'] } as const;

export const FAILURE_OPERATIONS: Readonly<Record<string, Operation>> = {
  'GET /api/v1/failures': {
    id: 'listFailures',
    summary: 'Failures in groups, for review.',
    tag: 'failures',
    query: 'failures',
    answer: 'FailureGroupPage',
  },
  'GET /api/v1/failures/:id': { ...of, id: 'getFailure', summary: 'One group of failures.', answer: 'FailureGroupDetail' },
  'PATCH /api/v1/failures/:id': {
    ...of,
    id: 'changeFailure',
    summary: 'Say what becomes of it, and who has it.',
    body: 'FailureGroupChange',
    answer: 'FailureGroupDetail',
    problems: ['failure_not_found', 'state_conflict'],
  },
  'POST /api/v1/failures/:id/comments': {
    ...of,
    id: 'commentFailure',
    summary: 'Add a comment.',
    body: 'CommentRequest',
    answer: 'FailureGroupDetail',
  },
  'POST /api/v1/failures/:id/presence': {
    ...of,
    id: 'attendFailure',
    summary: 'Say that its page is open, or was left; answers who else has it open.',
    body: 'PresenceNote',
    answer: 'Presence',
  },
  'GET /api/v1/failures/:id/occurrences': {
    ...of,
    id: 'listOccurrences',
    summary: 'Its failures, newest first.',
    query: 'page',
    answer: 'FailurePage',
  },
  'GET /api/v1/failures/:id/changes': {
    ...of,
    id: 'getFailureChanges',
    summary: 'What changed since it worked.',
    answer: 'FailureChanges',
  },
  'GET /api/v1/failures/:id/source': { ...of, id: 'getFailureSource', summary: 'The source that failed.', answer: 'FailureSource' },
  'POST /api/v1/failures/:id/merge': {
    ...of,
    id: 'mergeFailure',
    summary: 'Make it part of another group.',
    body: 'MergeRequest',
    answer: 'FailureGroupDetail',
    problems: ['failure_not_found', 'state_conflict'],
  },
  'POST /api/v1/failures/:id/split': {
    ...of,
    id: 'splitFailure',
    summary: 'Make a group of its own of one kind of failure in it.',
    body: 'SplitRequest',
    answer: 'FailureGroupDetail',
    problems: ['failure_not_found', 'state_conflict'],
  },
};
