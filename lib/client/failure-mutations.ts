import { useQueryClient, useQuery } from '@tanstack/react-query';
import type { QueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useRef } from 'react';
import type { FailureGroupDetail, GroupChange } from '#lib/contract/failure-group.ts';
import { API } from '#lib/contract/paths.ts';
import type { PresenceNote, PresentDoing, PresentPerson } from '#lib/contract/presence.ts';
import { PRESENCE_BEAT_MS } from '#lib/contract/limits.ts';
import { failureKeys, failureQueries } from './failure-queries.ts';
import { request } from './request.ts';
import { SHAPES } from './shapes.ts';
import { useServerMutation } from './use-server-mutation.ts';

/* Every write to the review of failures as a hook; each returns the updated group. */

function take(client: QueryClient, group: FailureGroupDetail): void {
  client.setQueryData(failureQueries.one(group.id).queryKey, group);
  for (const queryKey of [failureKeys.lists, failureKeys.one(group.id)]) void client.invalidateQueries({ queryKey });
}

/** Sets status, assignee, reason or ignore period. */
export function useChangeFailure() {
  const client = useQueryClient();
  return useServerMutation({
    mutationKey: ['change-failure'],
    mutationFn: ({ id, change }: { id: string; change: GroupChange }) =>
      request(API.failure(id), SHAPES.failureGroupDetail, { method: 'PATCH', body: change }),
    onSuccess: (group) => take(client, group),
  });
}

/** Comments in Markdown. */
export function useCommentFailure(id: string) {
  const client = useQueryClient();
  return useServerMutation({
    mutationKey: ['comment-failure', id],
    mutationFn: (text: string) => request(API.commentFailure(id), SHAPES.failureGroupDetail, { method: 'POST', body: { text } }),
    onSuccess: (group) => take(client, group),
  });
}

/** Merges it into another group of the same extension. */
export function useMergeFailure(id: string) {
  const client = useQueryClient();
  return useServerMutation({
    mutationKey: ['merge-failure', id],
    mutationFn: (into: string) => request(API.mergeFailure(id), SHAPES.failureGroupDetail, { method: 'POST', body: { into } }),
    onSuccess: (group) => {
      take(client, group);
      void client.invalidateQueries({ queryKey: failureKeys.one(id) });
    },
  });
}

/** Splits an occurrence off and returns its new group. */
export function useSplitFailure(id: string) {
  const client = useQueryClient();
  return useServerMutation({
    mutationKey: ['split-failure', id],
    mutationFn: (failureId: string) =>
      request(API.splitFailure(id), SHAPES.failureGroupDetail, { method: 'POST', body: { failure_id: failureId } }),
    onSuccess: (group) => {
      take(client, group);
      void client.invalidateQueries({ queryKey: failureKeys.one(id) });
    },
  });
}

/*
 * Members viewing a failure. Each read also registers the reader: immediately, every few seconds while the page is visible, and
 * when an event reports a change. A hidden or left page signs off; others expire.
 */

let page: string | null = null;

/** Distinguishes this tab from others of the same person. */
function thisPage(): string {
  page ??= Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, '0')).join('');
  return page;
}

export function usePresence(id: string, doing: PresentDoing): readonly PresentPerson[] {
  const { data, refetch } = useQuery({
    queryKey: failureKeys.presence(id),
    queryFn: ({ signal }) => {
      const note: PresenceNote = { page: thisPage(), doing };
      return request(API.failurePresence(id), SHAPES.presence, { method: 'POST', body: note, signal });
    },
    staleTime: 0,
    gcTime: 0,
    retry: false,
    refetchInterval: PRESENCE_BEAT_MS,
  });

  const sayAnew = useEffectEvent(() => void refetch());
  const said = useRef(doing);
  useEffect(() => {
    if (said.current === doing) return;
    said.current = doing;
    sayAnew();
  }, [doing]);

  useEffect(() => {
    const leave = () => {
      const note: PresenceNote = { page: thisPage(), doing: 'gone' };
      navigator.sendBeacon(API.failurePresence(id), new Blob([JSON.stringify(note)], { type: 'application/json' }));
    };
    const onVisibility = () => {
      if (document.hidden) leave();
      else sayAnew();
    };
    document.addEventListener('visibilitychange', onVisibility);
    window.addEventListener('pagehide', leave);
    return () => {
      document.removeEventListener('visibilitychange', onVisibility);
      window.removeEventListener('pagehide', leave);
      leave();
    };
  }, [id]);

  return data?.people ?? [];
}
