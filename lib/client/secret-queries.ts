import { useQueryClient } from '@tanstack/react-query';
import { API } from '#lib/contract/paths.ts';
import { keys } from './queries.ts';
import { ONLY_ADD, readQuery, request } from './request.ts';
import { useServerMutation } from './use-server-mutation.ts';

/* Named secrets. A value is sent, and never read back. */

const contract = () => import('#lib/contract/secrets.ts');
const SHAPES_OF_SECRETS = {
  list: async () => (await contract()).secretListSchema,
  secret: async () => (await contract()).secretSchema,
};

export const secretsQuery = () => readQuery(keys.secrets, API.secrets, SHAPES_OF_SECRETS.list);

/** Resolves once the extensions that use it are loaded with the value, or have failed. */
export function usePutSecret() {
  const refresh = useRefresh();
  return useServerMutation({
    mutationFn: ({ name, value, isNew }: { name: string; value: string; isNew: boolean }) =>
      request(API.secret(name), SHAPES_OF_SECRETS.secret, {
        method: 'PUT',
        admin: true,
        body: { value },
        ...(isNew ? { headers: ONLY_ADD } : {}),
      }),
    onSettled: refresh,
  });
}

export function useRemoveSecret() {
  const refresh = useRefresh();
  return useServerMutation({
    mutationFn: (name: string) => request(API.secret(name), SHAPES_OF_SECRETS.secret, { method: 'DELETE', admin: true }),
    onSettled: refresh,
  });
}

function useRefresh(): () => Promise<void> {
  const client = useQueryClient();
  return async () => {
    void client.invalidateQueries({ queryKey: keys.extensions });
    await client.invalidateQueries({ queryKey: keys.secrets });
  };
}
