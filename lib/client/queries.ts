import { type InfiniteData, infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { CallFilter, CallPage } from '#lib/contract/call.ts';
import type { MessagePage } from '#lib/contract/channel.ts';
import type { GroupPage } from '#lib/contract/failure-group.ts';
import { API } from '#lib/contract/paths.ts';
import type { SnapshotPage } from '#lib/contract/snapshot.ts';
import { listTools } from './listed-tools.ts';
import { readQuery, request } from './request.ts';
import { SHAPES } from './shapes.ts';

/*
 * Every GET of the API as query options, for pages and components.
 *
 * In a server page, fill the same keys from the host, so that the first render needs no request:
 *
 *   const client = createQueryClient();
 *   client.setQueryData(queries.extensions().queryKey, currentHost().extensions.list());
 *   client.setQueryData(queries.calls(filter).queryKey, firstPage(page));      // infinite lists
 *   return <HydrationBoundary state={dehydrate(client)}>…</HydrationBoundary>;
 *
 * In a component: `const { data } = useSuspenseQuery(queries.extensions())` (or useQuery, useInfiniteQuery for calls and
 * snapshots). Do not poll or refetch by hand: events invalidate these keys (see live-refetch.ts). Writes are the hooks in
 * mutations.ts; errors are ApiProblems (api-problem.ts) whose message can be shown as it is. `useLiveState()` in
 * live-context.ts has the connection state.
 */
export const keys = {
  extensions: ['extensions'],
  extensionOfAny: ['extension'],
  extension: (id: string) => ['extension', id],
  conflicts: ['conflicts'],
  secrets: ['secrets'],
  toolsets: ['toolsets'],
  toolsWithParameters: ['tools-with-parameters'],
  dependencies: (id: string) => ['extension', id, 'dependencies'],
  tools: ['tools'],
  toolOfAny: ['tool'],
  tool: (name: string) => ['tool', name],
  callLists: ['calls'],
  call: (id: string) => ['call', id],
  channels: ['channels'],
  channelOfAny: ['channel'],
  channel: (name: string) => ['channel', name],
  messagesOfAny: ['messages'],
  messages: (name: string) => ['messages', name],
  snapshotLists: ['snapshots'],
  snapshot: (version: number) => ['snapshot', version],
} as const;

/** Filter of a list of calls, without the cursor. */
export type CallListFilter = { readonly [Key in Exclude<keyof CallFilter, 'cursor' | 'limit'>]?: CallFilter[Key] | undefined };

/** Page size of the history; lists on other pages are shorter. */
export const CALLS_A_PAGE = 50;
const RUNNING_POLL_MS = 1_000;
/** A list with this many pages is long. */
const LONG_FROM = 4;

export const queries = {
  extensions: () => readQuery(keys.extensions, API.extensions, SHAPES.extensionList),

  extension: (id: string) => readQuery(keys.extension(id), API.extension(id), SHAPES.extensionDetail),

  revisionComparison: (id: string, from: number, to: number) =>
    readQuery(
      [...keys.extension(id), 'compare', from, to],
      `${API.compareRevisions(id)}?${searchOf({ from, to })}`,
      SHAPES.revisionComparison,
    ),

  tools: () =>
    queryOptions({
      queryKey: keys.tools,
      queryFn: async ({ signal }) => listTools(await request(API.tools, SHAPES.toolList, { signal })),
    }),

  tool: (name: string) => readQuery(keys.tool(name), API.tool(name), SHAPES.tool),

  /** Newest first; `fetchNextPage` continues. Of a long list only pages that may have changed are read again. */
  calls: (filter: CallListFilter = {}, limit = CALLS_A_PAGE) =>
    infiniteQueryOptions({
      queryKey: [...keys.callLists, definedOf(filter), limit],
      queryFn: async ({ signal, pageParam, client, queryKey }) => {
        const read = (cursor: string | null) =>
          request(`${API.calls}?${searchOf({ ...definedOf(filter), limit, cursor: cursor ?? undefined })}`, SHAPES.callPage, { signal });
        const known = client.getQueryData<InfiniteData<CallPage>>(queryKey);
        if (known === undefined || known.pages.length < LONG_FROM || !matchesWhileRunning(filter)) return read(pageParam);
        const { readCallPage } = await import('./call-pages.ts');
        return readCallPage(read, known, pageParam);
      },
      initialPageParam: noCursor(),
      getNextPageParam: (last) => last.next_cursor,
    }),

  /** Refetched by events; a running call also once a second, in case events are delayed. */
  call: (id: string) =>
    queryOptions({
      queryKey: keys.call(id),
      queryFn: ({ signal }) => request(API.call(id), SHAPES.call, { signal }),
      refetchInterval: (query) => (query.state.data?.status === 'running' ? RUNNING_POLL_MS : false),
    }),

  channels: () => readQuery(keys.channels, API.channels, SHAPES.channelList),

  channel: (name: string) => readQuery(keys.channel(name), API.channel(name), SHAPES.channel),

  /** Messages of a channel, newest first; `fetchNextPage` reads older ones. */
  messages: (name: string) =>
    infiniteQueryOptions({
      queryKey: keys.messages(name),
      queryFn: ({ signal, pageParam }) =>
        request(`${API.channelMessages(name)}?${searchOf({ cursor: pageParam ?? undefined })}`, SHAPES.messagePage, { signal }),
      initialPageParam: noCursor(),
      getNextPageParam: (last) => last.next_cursor,
    }),

  /** Newest first, what changed in each; optionally those that concern one extension. */
  snapshots: (limit = 20, extension?: string) =>
    infiniteQueryOptions({
      queryKey: [...keys.snapshotLists, limit, extension ?? null],
      queryFn: ({ signal, pageParam }) =>
        request(
          `${API.snapshots}?${searchOf({ limit, extension, changes_only: 'true', cursor: pageParam ?? undefined })}`,
          SHAPES.snapshotPage,
          { signal },
        ),
      initialPageParam: noCursor(),
      getNextPageParam: (last) => last.next_cursor,
    }),

  snapshot: (version: number) =>
    queryOptions({
      queryKey: keys.snapshot(version),
      queryFn: ({ signal }) => request(API.snapshot(version), SHAPES.snapshot, { signal }),
      staleTime: Number.POSITIVE_INFINITY,
    }),
};

/** Data of an infinite query whose first page is known. */
export function firstPage<Page extends CallPage | GroupPage | MessagePage | SnapshotPage>(
  page: Page,
): { pages: Page[]; pageParams: (string | null)[] } {
  return { pages: [page], pageParams: [null] };
}

export function noCursor(): string | null {
  return null;
}

/** Whether a running call already matches the filter; else it may enter the middle of the list when it ends. */
function matchesWhileRunning({ q, status, error_kind: errorKind, revision, min_ms: min, max_ms: max }: CallListFilter): boolean {
  return [q, status, errorKind, revision, min, max].every((part) => part === undefined);
}

/** URL parameters of a filter. */
export function definedOf(filter: object): Record<string, string> {
  return Object.fromEntries(
    Object.entries(filter).flatMap(([name, value]: [string, string | number | undefined]) =>
      value === undefined ? [] : [[name, String(value)]],
    ),
  );
}

function searchOf(values: object): string {
  return new URLSearchParams(definedOf(values)).toString();
}
