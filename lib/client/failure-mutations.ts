import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import type { FailureGroupDetail, GroupChange } from '#lib/contract/failure-group.ts';
import { API } from '#lib/contract/paths.ts';
import { failureKeys, failureQueries } from './failure-queries.ts';
import { request } from './request.ts';
import { SHAPES } from './shapes.ts';
import { useServerMutation } from './use-server-mutation.ts';

/* Every write to the review of failures as a hook; each returns the updated group. */

function cacheGroup(client: QueryClient, group: FailureGroupDetail): void {
  client.setQueryData(failureQueries.one(group.id).queryKey, group);
  for (const queryKey of [failureKeys.lists, failureKeys.one(group.id)]) void client.invalidateQueries({ queryKey });
}

/** Sets status, assignee, reason or ignore period. */
export function useChangeFailure() {
  const client = useQueryClient();
  return useServerMutation({
    mutationFn: ({ id, change }: { id: string; change: GroupChange }) =>
      request(API.failure(id), SHAPES.failureGroupDetail, { method: 'PATCH', body: change }),
    onSuccess: (group) => cacheGroup(client, group),
  });
}

/** Comments in Markdown. */
export function useCommentFailure(id: string) {
  const client = useQueryClient();
  return useServerMutation({
    mutationFn: (text: string) => request(API.commentFailure(id), SHAPES.failureGroupDetail, { method: 'POST', body: { text } }),
    onSuccess: (group) => cacheGroup(client, group),
  });
}

/** Merges it into another group of the same extension. */
export function useMergeFailure(id: string) {
  const client = useQueryClient();
  return useServerMutation({
    mutationFn: (into: string) => request(API.mergeFailure(id), SHAPES.failureGroupDetail, { method: 'POST', body: { into } }),
    onSuccess: (group) => {
      cacheGroup(client, group);
      void client.invalidateQueries({ queryKey: failureKeys.one(id) });
    },
  });
}

/** Splits an occurrence off and returns its new group. */
export function useSplitFailure(id: string) {
  const client = useQueryClient();
  return useServerMutation({
    mutationFn: (failureId: string) =>
      request(API.splitFailure(id), SHAPES.failureGroupDetail, { method: 'POST', body: { failure_id: failureId } }),
    onSuccess: (group) => {
      cacheGroup(client, group);
      void client.invalidateQueries({ queryKey: failureKeys.one(id) });
    },
  });
}
