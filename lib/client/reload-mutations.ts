import { useQueryClient } from '@tanstack/react-query';
import { API } from '#lib/contract/paths.ts';
import { keys, queries } from './queries.ts';
import { request } from './request.ts';
import { SHAPES } from './shapes.ts';
import { useServerMutation } from './use-server-mutation.ts';

/* The writes by which saved files come in. Apart from the others, since each page has a button for the first of them. */

/** Tries the named extensions again, or all of them. The report is the answer. */
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

/** Tests watching again; its state is the answer, and stands on the page at once. */
export function useTestWatching() {
  const client = useQueryClient();
  return useServerMutation({
    mutationKey: ['test-watching'],
    mutationFn: () => request(API.testWatching, SHAPES.watchState, { method: 'POST', admin: true }),
    onSuccess: (watch) => {
      client.setQueryData(queries.extensions().queryKey, (list) => (list === undefined ? undefined : { ...list, watch }));
    },
  });
}
