import { QueryClient } from '@tanstack/react-query';
import { expect, test, vi } from 'vitest';
import { neighbourOf } from './call-neighbours.ts';
import { firstPage, queries } from './queries.ts';
import { callRecord } from '#lib/testing/api-records.ts';

const page = (...ids: string[]) => ({ calls: ids.map((id) => callRecord({ id })), next_cursor: null });

/** Records the requests of a server that answers with these calls. */
function server(...ids: string[]): string[] {
  const requests: string[] = [];
  vi.stubGlobal('fetch', async (path: string) => {
    requests.push(path);
    return Response.json(page(...ids));
  });
  return requests;
}

test('returns the neighbour in the list the call was opened from, with its filter', async () => {
  const requests = server('b', 'y');
  const client = new QueryClient();
  client.setQueryData(queries.calls({}).queryKey, firstPage(page('d', 'c', 'b', 'a')), { updatedAt: 1 });
  client.setQueryData(queries.calls({ tool: 'x', status: ['failed', 'timed_out'] }).queryKey, firstPage(page('d', 'b')), { updatedAt: 2 });
  expect(await neighbourOf(client, callRecord({ id: 'b' }), 'newer')).toBe('d');
  expect(await neighbourOf(client, callRecord({ id: 'c' }), 'older')).toBe('b');
  expect(requests).toEqual([]);

  expect(await neighbourOf(client, callRecord({ id: 'b' }), 'older')).toBe('y');
  expect(Object.fromEntries(new URL(requests[0] ?? '', 'http://x').searchParams)).toEqual({
    tool: 'x',
    status: 'failed,timed_out',
    until: '2026-11-22T10:00:00.001Z',
    limit: '20',
  });
});

test('returns the neighbour among all calls for a direct link, or null', async () => {
  const requests = server('c', 'b');
  expect(await neighbourOf(new QueryClient(), callRecord({ id: 'b' }), 'newer')).toBe('c');
  expect(requests[0]).toContain('since=2026-11-22T10%3A00%3A00.000Z');
  expect(await neighbourOf(new QueryClient(), callRecord({ id: 'c' }), 'newer')).toBeNull();
  expect(await neighbourOf(new QueryClient(), callRecord({ id: 'far' }), 'newer')).toBeNull();
});
