import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { GroupPage, GroupStatus } from '#lib/contract/failure-group.ts';
import { API } from '#lib/contract/paths.ts';
import { definedOf, noCursor } from './queries.ts';
import { readQuery, request } from './request.ts';
import { SHAPES } from './shapes.ts';

/* Every GET of the failures as query options; see queries.ts. */

export const failureKeys = {
  lists: ['failures'],
  ofAny: ['failure'],
  /** With changes, source and occurrences. */
  one: (id: string) => ['failure', id],
  presenceOfAny: ['presence'],
  /** Members viewing it; reading also registers the reader. */
  presence: (id: string) => ['presence', id],
} as const;

/** Filter of a list; an empty `assignee` means unassigned. */
export interface FailureListFilter {
  readonly status?: GroupStatus | undefined;
  readonly extension?: string | undefined;
  readonly assignee?: string | undefined;
  readonly regression?: 'true' | undefined;
  readonly mentions?: 'me' | undefined;
  readonly q?: string | undefined;
}

export const FAILURES_A_PAGE = 50;

export const failureQueries = {
  /** Latest first; `fetchNextPage` continues. */
  list: (filter: FailureListFilter = {}) =>
    infiniteQueryOptions({
      queryKey: [...failureKeys.lists, 'list', definedOf(filter)],
      queryFn: ({ signal, pageParam }) => {
        const search = new URLSearchParams({
          ...definedOf(filter),
          limit: String(FAILURES_A_PAGE),
          ...(pageParam === null ? {} : { cursor: pageParam }),
        });
        return request(`${API.failures}?${search}`, SHAPES.groupPage, { signal });
      },
      initialPageParam: noCursor(),
      getNextPageParam: (last: GroupPage) => last.next_cursor,
    }),

  /** Counts by status, independent of the filter. */
  counts: () =>
    queryOptions({
      queryKey: [...failureKeys.lists, 'counts'],
      queryFn: async ({ signal }) => (await request(`${API.failures}?limit=1`, SHAPES.groupPage, { signal })).counts,
    }),

  one: (id: string) => readQuery([...failureKeys.one(id), 'group'], API.failure(id), SHAPES.failureGroupDetail),

  changes: (id: string) => readQuery([...failureKeys.one(id), 'changes'], API.failureChanges(id), SHAPES.failureChanges),

  source: (id: string) => readQuery([...failureKeys.one(id), 'source'], API.failureSource(id), SHAPES.failureSource),

  occurrences: (id: string) =>
    readQuery([...failureKeys.one(id), 'occurrences'], `${API.failureOccurrences(id)}?limit=50`, SHAPES.occurrencePage),
};
