import { useQueryClient } from '@tanstack/react-query';
import { API } from '#lib/contract/paths.ts';
import { keys, queries } from './queries.ts';
import { request } from './request.ts';
import { SHAPES } from './shapes.ts';
import { useServerMutation } from './use-server-mutation.ts';

/* Apart from the other mutations, since every page has a reload button. */

/** Reloads the named extensions or all; returns the report. */
export function useReload() {
  const client = useQueryClient();
  return useServerMutation({
    mutationKey: ['reload'],
    mutationFn: (ids: readonly string[] | null) =>
      request(API.reload, SHAPES.reloadReport, { method: 'POST', admin: true, ...(ids === null ? {} : { body: { extensions: ids } }) }),
    onSettled: () => {
      for (const queryKey of [keys.extensions, keys.extensionOfAny, keys.tools, keys.toolOfAny, keys.snapshotLists])
        void client.invalidateQueries({ queryKey });
    },
  });
}

/** Tests file watching again and stores its state in the cache. */
export function useTestWatching() {
  const client = useQueryClient();
  return useServerMutation({
    mutationFn: () => request(API.testWatching, SHAPES.watchState, { method: 'POST', admin: true }),
    onSuccess: (watch) => {
      client.setQueryData(queries.extensions().queryKey, (list) => (list === undefined ? undefined : { ...list, watch }));
    },
  });
}
