import type { CallPage } from '#lib/contract/call.ts';

/*
 * Refetches a long list of calls. Every call invalidates it, and reading all pages again would be hundreds of requests for one
 * new row. So new calls are put before the first page, and later pages are kept: ended calls do not change. Everything is read
 * again if
 * - more calls are new than fit into a few pages, or the row that ended a page is gone;
 * - the first page has grown for hours;
 * - a call may enter the middle of the list when it ends (see `matchesWhileRunning`).
 * Pages with calls that were still running are read again.
 */
export interface KnownPages {
  readonly pages: readonly CallPage[];
  readonly pageParams: readonly unknown[];
}

const MAX_READS = 8;
const MAX_FIRST_PAGE = 1_000;

/** One page; `known` is the previously read list. */
export async function readCallPage(
  read: (cursor: string | null) => Promise<CallPage>,
  known: KnownPages,
  cursor: string | null,
): Promise<CallPage> {
  const before = known.pages[cursor === null ? 0 : known.pageParams.indexOf(cursor)];
  if (before === undefined) return read(cursor);
  if (cursor !== null) return before.calls.some(isRunning) ? read(cursor) : before;

  const first = await read(null);
  const [newest] = before.calls;
  if (newest === undefined || before.calls.length > MAX_FIRST_PAGE) return first;
  const lastNeeded = before.calls.findLast(isRunning) ?? newest;
  const fresh = [...first.calls];
  let next = first.next_cursor;
  for (let reads = 1; !fresh.some(({ id }) => id === lastNeeded.id); reads += 1) {
    if (next === null || reads === MAX_READS) return first;
    const page = await read(next);
    fresh.push(...page.calls);
    next = page.next_cursor;
  }
  const end = before.calls.at(-1)?.id;
  const past = fresh.findIndex(({ id }) => id === end);
  if (past !== -1) return { calls: fresh.slice(0, past + 1), next_cursor: before.next_cursor };
  const overlap = before.calls.findIndex(({ id }) => id === fresh.at(-1)?.id);
  return overlap === -1 ? first : { calls: [...fresh, ...before.calls.slice(overlap + 1)], next_cursor: before.next_cursor };
}

function isRunning({ status }: { readonly status: string }): boolean {
  return status === 'running';
}
