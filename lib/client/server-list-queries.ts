import { queryOptions, useQueryClient } from '@tanstack/react-query';
import { API } from '#lib/contract/paths.ts';
import type { ImportServers, ServerClient, ServerConfig } from '#lib/contract/servers.ts';
import { keys } from './queries.ts';
import { ONLY_ADD, request } from './request.ts';
import { useServerMutation } from './use-server-mutation.ts';

/* MCP servers in mcp.json: read when a dialog opens, written through it. */

const contract = () => import('#lib/contract/servers.ts');
const SHAPES_OF_LIST = {
  server: async () => (await contract()).serverSchema,
  put: async () => (await contract()).putServerResultSchema,
  test: async () => (await contract()).serverTestSchema,
  imported: async () => (await contract()).importedServersSchema,
  exported: async () => (await contract()).exportedServersSchema,
};

/** The entry as it is in the file now; read on each opening. */
export function serverQuery(name: string) {
  return queryOptions({
    queryKey: ['server', name],
    queryFn: ({ signal }) => request(API.server(name), SHAPES_OF_LIST.server, { signal }),
    gcTime: 0,
    staleTime: 0,
  });
}

export function exportedServersQuery(client: ServerClient) {
  return queryOptions({
    queryKey: ['exported-servers', client],
    queryFn: ({ signal }) => request(API.exportServers(client), SHAPES_OF_LIST.exported, { signal }),
    gcTime: 0,
    staleTime: 0,
  });
}

/** Connects to it and lists what it has; nothing is saved. */
export function useTestServer() {
  return useServerMutation({
    mutationFn: ({ config, signal }: { config: ServerConfig; signal: AbortSignal }) =>
      request(API.testServer, SHAPES_OF_LIST.test, { method: 'POST', admin: true, body: { config }, signal }),
  });
}

/** Resolves once it is loaded or has failed. */
export function usePutServer() {
  const refresh = useRefresh();
  return useServerMutation({
    mutationFn: ({ name, isNew, ...body }: { name: string; isNew: boolean; config: ServerConfig; take_secrets: boolean }) =>
      request(API.server(name), SHAPES_OF_LIST.put, { method: 'PUT', admin: true, body, ...(isNew ? { headers: ONLY_ADD } : {}) }),
    onSettled: refresh,
  });
}

export function useRemoveServer() {
  const refresh = useRefresh();
  return useServerMutation({
    mutationFn: (name: string) => request(API.server(name), SHAPES_OF_LIST.server, { method: 'DELETE', admin: true }),
    onSettled: refresh,
  });
}

/** A preview, or the import itself. */
export function useImportServers() {
  const refresh = useRefresh();
  return useServerMutation({
    mutationFn: (body: ImportServers) => request(API.importServers, SHAPES_OF_LIST.imported, { method: 'POST', admin: true, body }),
    onSettled: (_data, _error, { preview }) => (preview ? undefined : refresh()),
  });
}

function useRefresh(): () => void {
  const client = useQueryClient();
  return () => {
    for (const queryKey of [keys.extensions, keys.extensionOfAny, keys.tools, keys.snapshotLists, keys.secrets])
      void client.invalidateQueries({ queryKey });
  };
}
