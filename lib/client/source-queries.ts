import { queryOptions, useIsMutating, useQueryClient } from '@tanstack/react-query';
import type { NewExtension, SourceChange, SourceWrite, UndoRequest } from '#lib/contract/source-file.ts';
import { API } from '#lib/contract/paths.ts';
import { keys } from './queries.ts';
import { readQuery, request } from './request.ts';
import { SHAPES } from './shapes.ts';
import { useServerMutation } from './use-server-mutation.ts';

export const sourceKeys = {
  tree: ['sources'],
  fileOfAny: ['source'],
  file: (path: string) => ['source', path],
  undo: (id: string, revision: number) => ['source-undo', id, revision],
} as const;

/** Files of the extensions folder. */
export const sourceQueries = {
  tree: () => readQuery(sourceKeys.tree, API.sources, SHAPES.sourceTree),

  file: (path: string) => readQuery(sourceKeys.file(path), API.source(path), SHAPES.sourceFile),

  /**
   * Preview of restoring the files of an extension. Read on each opening and not by events: it must not change while someone
   * reviews it. The server rejects an outdated one.
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
 * Saves a file; resolves once the new revision is loaded or has failed. `onSaved` runs before the file is read again, also if
 * the editor shows another file by then.
 */
export function useSaveSource(onSaved?: (saved: SourceSave, change: SourceChange) => void) {
  const client = useQueryClient();
  const refresh = useRefreshSources();
  return useServerMutation({
    mutationKey: SAVE_KEY,
    mutationFn: ({ path, ...body }: SourceSave) => request(API.source(path), SHAPES.sourceChange, { method: 'PUT', admin: true, body }),
    onSuccess: async (change, saved) => {
      const { queryKey } = sourceQueries.file(saved.path);
      // A read that started earlier may return the previous text.
      await client.cancelQueries({ queryKey });
      const { hash } = change;
      if (hash !== null) client.setQueryData(queryKey, (file) => (file === undefined ? file : { ...file, text: saved.text, hash }));
      onSaved?.(saved, change);
      await refresh();
    },
  });
}

/** Whether any editor is saving this file. */
export function useIsSavingSource(path: string): boolean {
  return useIsMutating({ mutationKey: SAVE_KEY, predicate: ({ state }) => isSaveOf(state.variables, path) }) > 0;
}

function isSaveOf(variables: unknown, path: string): boolean {
  return typeof variables === 'object' && variables !== null && 'path' in variables && variables.path === path;
}

/** Restores the files of an extension from a revision; resolves once the new revision is loaded or has failed. */
export function useUndoSources(id: string) {
  const refresh = useRefreshSources();
  return useServerMutation({
    mutationFn: (body: UndoRequest) => request(API.undoExtension(id), SHAPES.undone, { method: 'POST', admin: true, body }),
    onSettled: refresh,
  });
}

/** Creates an extension from a template. */
export function useNewExtension() {
  const client = useQueryClient();
  const refresh = useRefreshSources();
  return useServerMutation({
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
