import { useQueryClient } from '@tanstack/react-query';
import { API } from '#lib/contract/paths.ts';
import type { SaveCallBody, SavedCall, SavedCallChange } from '#lib/contract/saved-call.ts';
import { keys } from './queries.ts';
import { request } from './request.ts';
import { savedCallKeys } from './saved-call-queries.ts';
import { cacheStarted } from './started-call.ts';
import { useServerMutation } from './use-server-mutation.ts';

/* Every write to saved calls as a hook; each returns the updated saved call. */

const shapes = () => import('#lib/contract/saved-call.ts');
const one = async () => (await shapes()).savedCallSchema;
const outcome = async () => (await shapes()).savedCallOutcomeSchema;

/** Saves a call under a name. */
export function useSaveCall() {
  const refresh = useRefresh();
  return useServerMutation({
    mutationFn: (body: SaveCallBody) => request(API.savedCalls, one, { method: 'POST', admin: body.required === true, body }),
    onSuccess: refresh,
  });
}

/** Sets the given fields. Only admins set required checks. */
export function useChangeSavedCall() {
  const refresh = useRefresh();
  return useServerMutation({
    mutationFn: ({ id, wasRequired, change }: { id: string; wasRequired: boolean; change: SavedCallChange }) =>
      request(API.savedCall(id), one, { method: 'PATCH', admin: wasRequired || change.required === true, body: change }),
    onSuccess: refresh,
  });
}

export function useDeleteSavedCall() {
  const refresh = useRefresh();
  return useServerMutation({
    mutationFn: (id: string) => request(API.savedCall(id), one, { method: 'DELETE', admin: true }),
    onSuccess: refresh,
  });
}

/** Runs a saved call, with `arguments` if secrets were left out. Returns the running call; an event follows when it is judged. */
export function useRunSavedCall() {
  const client = useQueryClient();
  const refresh = useRefresh();
  return useServerMutation({
    mutationFn: ({ id, arguments: args }: { id: string; arguments?: Readonly<Record<string, unknown>> | undefined }) =>
      request(API.runSavedCall(id), outcome, {
        method: 'POST',
        headers: { prefer: 'respond-async' },
        ...(args === undefined ? {} : { body: { arguments: args } }),
      }),
    onSuccess: ({ saved_call: saved, call }) => {
      cacheStarted(client, call);
      void client.invalidateQueries({ queryKey: keys.callLists });
      refresh(saved);
    },
  });
}

function useRefresh(): (saved: SavedCall) => void {
  const client = useQueryClient();
  return (saved) => void client.invalidateQueries({ queryKey: savedCallKeys.list(saved.tool) });
}
