import { beforeEach, expect, it } from 'vitest';
import type { Call, CallPage } from '#lib/contract/call.ts';
import { type KnownPages, readCallPage } from './call-pages.ts';

const LIMIT = 5;
let server: { id: string; status: Call['status'] }[];
let reads: number;

/** Newest first; a cursor is the id of the last call before it. */
async function read(cursor: string | null): Promise<CallPage> {
  reads += 1;
  const from = cursor === null ? 0 : server.findIndex(({ id }) => id === cursor) + 1;
  const rows = server.slice(from, from + LIMIT).map((row) => ({ ...row }));
  const next = from + LIMIT < server.length ? (rows.at(-1)?.id ?? null) : null;
  // Only these two members of a call are used.
  return { calls: rows as unknown as Call[], next_cursor: next };
}

/** Reads as many pages as before, one after the other, like the query. */
async function readAgain(known: KnownPages): Promise<KnownPages> {
  const pages: CallPage[] = [];
  const pageParams: (string | null)[] = [];
  for (let cursor: string | null = null; pages.length < known.pages.length;) {
    const page = await readCallPage(read, known, cursor);
    pages.push(page);
    pageParams.push(cursor);
    cursor = page.next_cursor;
    if (cursor === null) break;
  }
  return { pages, pageParams };
}

async function open(count: number): Promise<KnownPages> {
  const known = await readAgain({ pages: Array.from({ length: count }, () => ({ calls: [], next_cursor: null })), pageParams: [] });
  reads = 0;
  return known;
}

const shown = ({ pages }: KnownPages) => pages.flatMap(({ calls }) => calls.map(({ id, status }) => `${id} ${status}`));
const there = (max: number) => server.slice(0, max).map(({ id, status }) => `${id} ${status}`);
const begin = (...ids: string[]) => server.unshift(...ids.map((id) => ({ id, status: 'succeeded' as const })));

beforeEach(() => {
  reads = 0;
  server = Array.from({ length: 100 }, (_, at) => ({ id: `c${100 - at}`, status: 'succeeded' as const }));
});

it('needs one request, with or without new calls', async () => {
  let known = await open(10);
  known = await readAgain(known);
  expect([reads, shown(known)]).toEqual([1, there(50)]);
  begin('n2', 'n1');
  known = await readAgain(known);
  expect([reads, shown(known)]).toEqual([2, there(52)]);
  begin('n3');
  known = await readAgain(known);
  expect([reads, shown(known)]).toEqual([3, there(53)]);
});

it('reads until new calls meet known ones', async () => {
  const known = await open(10);
  begin(...Array.from({ length: 17 }, (_, at) => `n${17 - at}`));
  expect(shown(await readAgain(known))).toEqual(there(67));
  expect(reads).toBe(4);
});

it('reads all pages if too many calls are new', async () => {
  const known = await open(10);
  begin(...Array.from({ length: 60 }, (_, at) => `n${60 - at}`));
  expect(shown(await readAgain(known))).toEqual(there(50));
});

it('rereads rows that were running, wherever they are', async () => {
  const running = [0, 3, 22];
  for (const at of running) server[at]!.status = 'running';
  let known = await open(10);
  for (const at of running) server[at]!.status = 'failed';
  begin('n2', 'n1');
  known = await readAgain(known);
  expect(shown(known)).toEqual(there(52));
  // Two for the first page, whose fourth row was running, and one for the fifth page.
  expect(reads).toBe(3);
  known = await readAgain(known);
  expect(reads).toBe(4);
});

it('rereads the running rows of a first page that has grown', async () => {
  let known = await open(10);
  begin('n8', 'n7', 'n6', 'n5', 'n4', 'n3', 'n2', 'n1');
  server[7]!.status = 'running';
  known = await readAgain(known);
  server[7]!.status = 'timed_out';
  known = await readAgain(known);
  expect(shown(known)).toEqual(there(58));
});

it('continues with older pages, and ends with the history', async () => {
  const known = await open(10);
  const last = known.pages.at(-1)?.next_cursor ?? null;
  expect((await readCallPage(read, known, last)).calls.map(({ id }) => id)).toEqual(['c50', 'c49', 'c48', 'c47', 'c46']);
  const all = await open(20);
  begin('n1');
  expect(shown(await readAgain(all))).toEqual(there(101));
});

it('reads all pages if the last row of the first page is gone', async () => {
  const known = await open(10);
  server.splice(4, 1);
  expect(shown(await readAgain(known))).toEqual(there(50));
});
