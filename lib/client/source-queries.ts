import { queryOptions, useIsMutating, useQueryClient } from '@tanstack/react-query';
import type { NewExtension } from '#lib/contract/new-extension.ts';
import { API } from '#lib/contract/paths.ts';
import type { SourceChange, SourceWrite } from '#lib/contract/source-file.ts';
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

const SAVE_KEY = ['save-source'] as const;

export type SourceSave = SourceWrite & { readonly path: string };

/**
 * Saves one file; answers once what follows from it is loaded, or has failed. `onSaved` comes before the file is read anew, also
 * when whoever saved it shows something else by now.
 */
export function useSaveSource(onSaved?: (saved: SourceSave, change: SourceChange) => void) {
  const client = useQueryClient();
  const refresh = useRefreshSources();
  return useServerMutation({
    mutationKey: SAVE_KEY,
    mutationFn: ({ path, ...body }: SourceSave) => request(API.source(path), SHAPES.sourceChange, { method: 'PUT', admin: true, body }),
    onSuccess: async (change, saved) => {
      const { queryKey } = sourceQueries.file(saved.path);
      // A read that was begun before may bring what was there before.
      await client.cancelQueries({ queryKey });
      const { hash } = change;
      if (hash !== null) client.setQueryData(queryKey, (file) => (file === undefined ? file : { ...file, text: saved.text, hash }));
      onSaved?.(saved, change);
      await refresh();
    },
  });
}

/** Whether this file is being saved, by whichever editor began it. */
export function useIsSavingSource(path: string): boolean {
  return useIsMutating({ mutationKey: SAVE_KEY, predicate: ({ state }) => isSaveOf(state.variables, path) }) > 0;
}

function isSaveOf(variables: unknown, path: string): boolean {
  return typeof variables === 'object' && variables !== null && 'path' in variables && variables.path === path;
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
