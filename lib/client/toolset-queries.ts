import { useQueryClient } from '@tanstack/react-query';
import { API } from '#lib/contract/paths.ts';
import type { PutToolset } from '#lib/contract/toolset.ts';
import { keys } from './queries.ts';
import { ONLY_ADD, readQuery, request } from './request.ts';
import { SHAPES } from './shapes.ts';
import { useServerMutation } from './use-server-mutation.ts';

/* Toolsets for agents. Their sizes change with the tools. */

const contract = () => import('#lib/contract/toolset.ts');
const SHAPES_OF_TOOLSETS = {
  list: async () => (await contract()).toolsetListSchema,
  detail: async () => (await contract()).toolsetDetailSchema,
  removed: async () => (await contract()).toolsetSchema,
};

/** With their parameters, for the editor. */
export const toolsWithParametersQuery = () => readQuery(keys.toolsWithParameters, API.tools, SHAPES.toolList);

export const toolsetsQuery = () => readQuery(keys.toolsets, API.toolsets, SHAPES_OF_TOOLSETS.list);

export function usePutToolset() {
  const refresh = useRefresh();
  return useServerMutation({
    mutationFn: ({ name, isNew, ...body }: PutToolset & { name: string; isNew: boolean }) =>
      request(API.toolset(name), SHAPES_OF_TOOLSETS.detail, {
        method: 'PUT',
        admin: true,
        body,
        ...(isNew ? { headers: ONLY_ADD } : {}),
      }),
    onSettled: refresh,
  });
}

export function useRemoveToolset() {
  const refresh = useRefresh();
  return useServerMutation({
    mutationFn: (name: string) => request(API.toolset(name), SHAPES_OF_TOOLSETS.removed, { method: 'DELETE', admin: true }),
    onSettled: refresh,
  });
}

function useRefresh(): () => Promise<void> {
  const client = useQueryClient();
  return () => client.invalidateQueries({ queryKey: keys.toolsets });
}
