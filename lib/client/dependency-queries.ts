import { queryOptions, useQueryClient } from '@tanstack/react-query';
import type { ExtensionDependencies } from '#lib/contract/dependencies.ts';
import { API } from '#lib/contract/paths.ts';
import { keys } from './queries.ts';
import { readQuery, request } from './request.ts';
import { useServerMutation } from './use-server-mutation.ts';

/* Declared packages of an extension and their install. `dependencies.changed` invalidates them, and so does the extension. */

const shape = async () => (await import('#lib/contract/dependencies.ts')).extensionDependenciesSchema;

export function dependenciesQuery(id: string) {
  return readQuery(keys.dependencies(id), API.extensionDependencies(id), shape);
}

/** Packages that an install would add. */
export function installPreviewQuery(id: string) {
  return queryOptions({
    queryKey: [...keys.dependencies(id), 'preview'],
    queryFn: ({ signal }) =>
      request(API.installPreview(id), async () => (await import('#lib/contract/dependencies.ts')).installPreviewSchema, {
        signal,
      }),
    retry: false,
  });
}

/** Starts the install; events report its progress. `update` resolves versions again. */
export function useInstall(id: string) {
  const client = useQueryClient();
  return useServerMutation({
    mutationFn: (body: { readonly update: boolean }) => request(API.installDependencies(id), shape, { method: 'POST', admin: true, body }),
    onSuccess: (found: ExtensionDependencies) => client.setQueryData(keys.dependencies(id), found),
  });
}

export function useCancelInstall(id: string) {
  const client = useQueryClient();
  return useServerMutation({
    mutationFn: () => request(API.cancelInstall(id), shape, { method: 'POST', admin: true }),
    onSuccess: (found: ExtensionDependencies) => client.setQueryData(keys.dependencies(id), found),
  });
}

/** Declares the package of an import that was not found. */
export function useDeclarePackage(id: string) {
  const client = useQueryClient();
  return useServerMutation({
    mutationFn: (name: string) => request(API.extensionDependencies(id), shape, { method: 'POST', admin: true, body: { package: name } }),
    onSuccess: (found: ExtensionDependencies) => client.setQueryData(keys.dependencies(id), found),
    onSettled: () => void client.invalidateQueries({ queryKey: keys.extension(id) }),
  });
}

export function needsInstall({ state }: ExtensionDependencies): boolean {
  return state === 'missing' || state === 'installing' || state === 'failed';
}
