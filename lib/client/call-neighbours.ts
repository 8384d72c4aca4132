import type { QueryClient } from '@tanstack/react-query';
import type { Call, CallPage } from '#lib/contract/call.ts';
import { API } from '#lib/contract/paths.ts';
import { CALLS_A_PAGE, keys } from './queries.ts';
import { request } from './request.ts';
import { SHAPES } from './shapes.ts';

/*
 * The previous or next call in the list the call was opened from: the list this browser read last that contains it; for direct
 * links all calls. What can go wrong:
 * - the list is not loaded that far: the next page is loaded;
 * - too many newer calls: the neighbor cannot be found in lists that start with the newest (null).
 */
export type Step = 'newer' | 'older';

const OLDER_READ = 20;
const NEWER_READ = 200;

/** Null for none or unknown. */
export async function neighbourOf(client: QueryClient, call: Pick<Call, 'id' | 'started_at'>, step: Step): Promise<string | null> {
  const list = listWith(client, call.id);
  const known = list === null ? null : neighbourIn(list.ids, call.id, step);
  if (known !== null) return known;
  const filter = list?.filter ?? {};
  if (step === 'older') {
    const until = new Date(Date.parse(call.started_at) + 1).toISOString();
    const page = await readPage({ ...filter, until, limit: String(OLDER_READ) });
    return neighbourIn(idsOf(page), call.id, step);
  }
  const page = await readPage({ ...filter, since: call.started_at, limit: String(NEWER_READ) });
  return neighbourIn(idsOf(page), call.id, step);
}

interface KnownList {
  readonly filter: Readonly<Record<string, string>>;
  readonly ids: readonly string[];
}

/** The last read history list with this call; not the short lists of other pages. */
function listWith(client: QueryClient, id: string): KnownList | null {
  const lists = client
    .getQueryCache()
    .findAll({ queryKey: keys.callLists })
    .filter(({ queryKey }) => queryKey[2] === CALLS_A_PAGE)
    .toSorted((a, b) => b.state.dataUpdatedAt - a.state.dataUpdatedAt);
  for (const { queryKey, state } of lists) {
    const ids = idsOfPages(state.data);
    if (ids.includes(id)) return { filter: textsOf(queryKey[1]), ids };
  }
  return null;
}

function idsOfPages(data: unknown): readonly string[] {
  if (typeof data !== 'object' || data === null || !('pages' in data) || !Array.isArray(data.pages)) return [];
  return data.pages.flatMap((page: CallPage) => idsOf(page));
}

function idsOf({ calls }: CallPage): readonly string[] {
  return calls.map(({ id }) => id);
}

function textsOf(filter: unknown): Record<string, string> {
  if (typeof filter !== 'object' || filter === null) return {};
  return Object.fromEntries(Object.entries(filter).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])));
}

function neighbourIn(ids: readonly string[], id: string, step: Step): string | null {
  const at = ids.indexOf(id);
  return at === -1 ? null : (ids[step === 'older' ? at + 1 : at - 1] ?? null);
}

function readPage(query: Readonly<Record<string, string>>): Promise<CallPage> {
  return request(`${API.calls}?${new URLSearchParams(query)}`, SHAPES.callPage, {});
}
