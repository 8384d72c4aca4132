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
  splitRequestSchema,
} from '#lib/contract/failure-group.ts';
import { presenceNoteSchema, presenceSchema } from '#lib/contract/presence.ts';
import { pageQuerySchema } from '#lib/contract/snapshot.ts';
import { named, route } from '../route.ts';
import { MEMBER, withMember } from './accounts.ts';

const FailureGroupDetail = named('FailureGroupDetail', failureGroupDetailSchema);
named('FailureGroup', failureGroupSchema);
const group = { tag: 'failures', parameter: 'The id of the group.', problems: ['failure_not_found'] } as const;
const conflicting = ['failure_not_found', 'state_conflict'] as const;

export const failureRoutes = [
  route(
    {
      method: 'GET',
      path: '/api/v1/failures',
      action: 'failures.read',
      id: 'listFailures',
      summary: 'Failures in groups, for review.',
      tag: 'failures',
      query: groupFilterSchema,
      meantEmpty: ['assignee'],
      response: named('FailureGroupPage', groupPageSchema),
    },
    ({ host, query, principal }) => host.failures.list(query, principal.kind === 'member' ? principal.id : null),
  ),
  route(
    {
      ...group,
      method: 'GET',
      path: '/api/v1/failures/:id',
      action: 'failures.read',
      id: 'getFailure',
      summary: 'One group of failures.',
      response: FailureGroupDetail,
    },
    ({ host, parameter }) => host.failures.get(parameter),
  ),
  route(
    {
      ...group,
      method: 'PATCH',
      path: '/api/v1/failures/:id',
      action: 'failures.review',
      id: 'changeFailure',
      summary: 'Set its status and its assignee.',
      body: named('FailureGroupChange', groupChangeSchema),
      response: FailureGroupDetail,
      problems: conflicting,
    },
    ({ host, parameter, body, requester }) => host.failures.change(parameter, body, requester.actor),
  ),
  route(
    {
      ...group,
      method: 'POST',
      path: '/api/v1/failures/:id/comments',
      action: 'failures.review',
      id: 'commentFailure',
      summary: 'Add a comment.',
      body: named('CommentRequest', commentRequestSchema),
      response: FailureGroupDetail,
    },
    ({ host, parameter, body, requester }) => host.failures.comment(parameter, body.text, requester.actor),
  ),
  route(
    {
      ...group,
      ...MEMBER,
      method: 'POST',
      path: '/api/v1/failures/:id/presence',
      action: 'failures.attend',
      id: 'attendFailure',
      summary: 'Say that its page is open, or was left; the response names the others who have it open.',
      body: named('PresenceNote', presenceNoteSchema),
      response: named('Presence', presenceSchema),
    },
    withMember(({ host, parameter, body }, _accounts, member) => host.failures.attend(parameter, member, body)),
  ),
  route(
    {
      ...group,
      method: 'GET',
      path: '/api/v1/failures/:id/occurrences',
      action: 'failures.read',
      id: 'listOccurrences',
      summary: 'Its failures, newest first.',
      query: pageQuerySchema,
      response: named('FailurePage', occurrencePageSchema),
    },
    ({ host, parameter, query }) => host.failures.occurrences(parameter, query),
  ),
  route(
    {
      ...group,
      method: 'GET',
      path: '/api/v1/failures/:id/changes',
      action: 'failures.read',
      id: 'getFailureChanges',
      summary: 'What changed since it worked.',
      response: named('FailureChanges', failureChangesSchema),
    },
    ({ host, parameter }) => host.failures.changes(parameter),
  ),
  route(
    {
      ...group,
      method: 'GET',
      path: '/api/v1/failures/:id/source',
      action: 'failures.read',
      id: 'getFailureSource',
      summary: 'The source that failed.',
      response: named('FailureSource', failureSourceSchema),
    },
    ({ host, parameter }) => host.failures.source(parameter),
  ),
  route(
    {
      ...group,
      method: 'POST',
      path: '/api/v1/failures/:id/merge',
      action: 'failures.review',
      id: 'mergeFailure',
      summary: 'Make it part of another group.',
      body: named('MergeRequest', mergeRequestSchema),
      response: FailureGroupDetail,
      problems: conflicting,
    },
    ({ host, parameter, body, requester }) => host.failures.merge(parameter, body.into, requester.actor),
  ),
  route(
    {
      ...group,
      method: 'POST',
      path: '/api/v1/failures/:id/split',
      action: 'failures.review',
      id: 'splitFailure',
      summary: 'Make a group of its own of one kind of failure in it.',
      body: named('SplitRequest', splitRequestSchema),
      response: FailureGroupDetail,
      problems: conflicting,
    },
    ({ host, parameter, body, requester }) => host.failures.split(parameter, body.failure_id, requester.actor),
  ),
];
