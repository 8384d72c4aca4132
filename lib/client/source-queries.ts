import { queryOptions, useQueryClient } from '@tanstack/react-query';
import type { NewExtension } from '#lib/contract/new-extension.ts';
import { API } from '#lib/contract/paths.ts';
import type { SourceWrite } from '#lib/contract/source-file.ts';
import type { UndoRequest } from '#lib/contract/source-undo.ts';
import { keys } from './queries.ts';
import { request } from './request.ts';
import { SHAPES } from './shapes.ts';
import { useServerMutation } from './use-server-mutation.ts';

export const sourceKeys = {
  tree: ['sources'],
  fileOfAny: ['source'],
  file: (path: string) => ['source', path],
  undo: (id: string, revision: number) => ['source-undo', id, revision],
} as const;

/** The files of the extensions folder. */
export const sourceQueries = {
  tree: () =>
    queryOptions({
      queryKey: sourceKeys.tree,
      queryFn: ({ signal }) => request(API.sources, SHAPES.sourceTree, { signal }),
    }),

  file: (path: string) =>
    queryOptions({
      queryKey: sourceKeys.file(path),
      queryFn: ({ signal }) => request(API.source(path), SHAPES.sourceFile, { signal }),
    }),

  /**
   * What it takes to have the files of an extension as they were. Read anew each time it is asked for, and not by events: what
   * somebody is about to agree to must not change under his eyes. The server refuses what is no longer so.
   */
  undo: (id: string, revision: number) =>
    queryOptions({
      queryKey: sourceKeys.undo(id, revision),
      queryFn: ({ signal }) => request(`${API.undoExtension(id)}?revision=${revision}`, SHAPES.undoPlan, { signal }),
      gcTime: 0,
      staleTime: Number.POSITIVE_INFINITY,
    }),
};

/** Saves one file; answers once what follows from it is loaded, or has failed. */
export function useSaveSource() {
  const refresh = useRefreshSources();
  return useServerMutation({
    mutationKey: ['save-source'],
    mutationFn: ({ path, ...body }: SourceWrite & { path: string }) =>
      request(API.source(path), SHAPES.sourceChange, { method: 'PUT', admin: true, body }),
    onSuccess: refresh,
  });
}

/** Writes the files of an extension back as they were in a revision; answers once what follows from it is loaded, or has failed. */
export function useUndoSources(id: string) {
  const refresh = useRefreshSources();
  return useServerMutation({
    mutationKey: ['undo-sources', id],
    mutationFn: (body: UndoRequest) => request(API.undoExtension(id), SHAPES.undone, { method: 'POST', admin: true, body }),
    onSettled: refresh,
  });
}

/** Writes the beginning of an extension. */
export function useNewExtension() {
  const client = useQueryClient();
  const refresh = useRefreshSources();
  return useServerMutation({
    mutationKey: ['new-extension'],
    mutationFn: (body: NewExtension) => request(API.extensions, SHAPES.newExtensionMade, { method: 'POST', admin: true, body }),
    onSuccess: async () => {
      await Promise.all([refresh(), client.invalidateQueries({ queryKey: keys.extensions })]);
    },
  });
}

function useRefreshSources() {
  const client = useQueryClient();
  return async () => {
    await Promise.all([
      client.invalidateQueries({ queryKey: sourceKeys.tree }),
      client.invalidateQueries({ queryKey: sourceKeys.fileOfAny }),
    ]);
  };
}
