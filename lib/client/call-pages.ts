import type { CallPage } from '#lib/contract/call.ts';

/*
 * A long list of calls that is read again. Every call makes it old, and page after page anew would be hundreds of requests for
 * one more row. So what is new is put before the first page, which goes on to end where it ended, and the pages after it are
 * taken as they were: a call that has ended does not change. What can go wrong: rows that were still running (what they are in
 * is read), more new ones than a few pages, or a row gone that one page ended with (everything is read, as for a short
 * list), a first page that grows for hours (everything is read, which makes it small again), a call that belongs into the
 * middle of the list only once it has ended (see `isWholeAtStart`: such lists are always read as they are).
 */
export interface KnownPages {
  readonly pages: readonly CallPage[];
  readonly pageParams: readonly unknown[];
}

const READS_MOST = 8;
const FIRST_PAGE_MOST = 1_000;

/** One page; `known` is the list as it was read before. */
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
  if (newest === undefined || before.calls.length > FIRST_PAGE_MOST) return first;
  const goal = before.calls.findLast(isRunning) ?? newest;
  const fresh = [...first.calls];
  let next = first.next_cursor;
  for (let reads = 1; !fresh.some(({ id }) => id === goal.id); reads += 1) {
    if (next === null || reads === READS_MOST) return first;
    const page = await read(next);
    fresh.push(...page.calls);
    next = page.next_cursor;
  }
  const end = before.calls.at(-1)?.id;
  const past = fresh.findIndex(({ id }) => id === end);
  if (past !== -1) return { calls: fresh.slice(0, past + 1), next_cursor: before.next_cursor };
  const seam = before.calls.findIndex(({ id }) => id === fresh.at(-1)?.id);
  return seam === -1 ? first : { calls: [...fresh, ...before.calls.slice(seam + 1)], next_cursor: before.next_cursor };
}

function isRunning({ status }: { readonly status: string }): boolean {
  return status === 'running';
}
