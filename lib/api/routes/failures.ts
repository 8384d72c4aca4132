import {
  commentRequestSchema,
  failureChangesSchema,
  failureGroupDetailSchema,
  failureGroupSchema,
  failureSourceSchema,
  groupChangeSchema,
  groupFilterSchema,
  groupPageSchema,
  mergeRequestSchema,
  occurrencePageSchema,
  presenceNoteSchema,
  presenceSchema,
  splitRequestSchema,
} from '#lib/contract/failure-group.ts';
import { pageQuerySchema } from '#lib/contract/snapshot.ts';
import { named, routesOf } from '../route.ts';

named('FailureGroup', failureGroupSchema);
const route = routesOf({ tag: 'failures', parameter: 'The id of the group.', unknown: 'failure_not_found' });

export const failureRoutes = [
  route('GET /api/v1/failures', 'failures.read', 'listFailures', {
    summary: 'Failures in groups, for review.',
    query: groupFilterSchema,
    meantEmpty: ['assignee'],
    response: named('FailureGroupPage', groupPageSchema),
    handle: ({ host, query, principal }) => host.failures.list(query, principal.kind === 'member' ? principal.id : null),
  }),
  route('GET /api/v1/failures/:id', 'failures.read', 'getFailure', {
    summary: 'One group of failures.',
    response: named('FailureGroupDetail', failureGroupDetailSchema),
    handle: ({ host, parameter }) => host.failures.get(parameter),
  }),
  route('PATCH /api/v1/failures/:id', 'failures.review', 'changeFailure', {
    summary: 'Set its status and its assignee.',
    body: named('FailureGroupChange', groupChangeSchema),
    response: failureGroupDetailSchema,
    problems: ['state_conflict'],
    handle: ({ host, parameter, body, requester }) => host.failures.change(parameter, body, requester.actor),
  }),
  route('POST /api/v1/failures/:id/comments', 'failures.review', 'commentFailure', {
    summary: 'Add a comment.',
    body: named('CommentRequest', commentRequestSchema),
    response: failureGroupDetailSchema,
    handle: ({ host, parameter, body, requester }) => host.failures.comment(parameter, body.text, requester.actor),
  }),
  route('POST /api/v1/failures/:id/presence', 'failures.attend', 'attendFailure', {
    summary: 'Report that its page is open or closed; the response names the other viewers.',
    needs: 'member',
    body: named('PresenceNote', presenceNoteSchema),
    response: named('Presence', presenceSchema),
    handle: ({ host, parameter, body, member }) => host.failures.attend(parameter, member, body),
  }),
  route('GET /api/v1/failures/:id/occurrences', 'failures.read', 'listOccurrences', {
    summary: 'Its failures, newest first.',
    query: pageQuerySchema,
    response: named('FailurePage', occurrencePageSchema),
    handle: ({ host, parameter, query }) => host.failures.occurrences(parameter, query),
  }),
  route('GET /api/v1/failures/:id/changes', 'failures.read', 'getFailureChanges', {
    summary: 'Changes since it last worked.',
    response: named('FailureChanges', failureChangesSchema),
    handle: ({ host, parameter }) => host.failures.changes(parameter),
  }),
  route('GET /api/v1/failures/:id/source', 'failures.read', 'getFailureSource', {
    summary: 'The failing source.',
    response: named('FailureSource', failureSourceSchema),
    handle: ({ host, parameter }) => host.failures.source(parameter),
  }),
  route('POST /api/v1/failures/:id/merge', 'failures.review', 'mergeFailure', {
    summary: 'Merge it into another group.',
    body: named('MergeRequest', mergeRequestSchema),
    response: failureGroupDetailSchema,
    problems: ['state_conflict'],
    handle: ({ host, parameter, body, requester }) => host.failures.merge(parameter, body.into, requester.actor),
  }),
  route('POST /api/v1/failures/:id/split', 'failures.review', 'splitFailure', {
    summary: 'Move one kind of failure into a new group.',
    body: named('SplitRequest', splitRequestSchema),
    response: failureGroupDetailSchema,
    problems: ['state_conflict'],
    handle: ({ host, parameter, body, requester }) => host.failures.split(parameter, body.failure_id, requester.actor),
  }),
];
