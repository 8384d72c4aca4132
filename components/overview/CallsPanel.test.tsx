import { QueryClientProvider } from '@tanstack/react-query';
import { cleanup, render, screen, within } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import { lastHourQuery } from '#lib/client/call-stats-queries.ts';
import { createQueryClient } from '#lib/client/query-client.ts';
import { firstPage, queries } from '#lib/client/queries.ts';
import type { WatchState } from '#lib/contract/extension.ts';
import { lastHourSchema } from '#lib/contract/last-hour.ts';
import type { LastHour } from '#lib/contract/last-hour.ts';
import { callRecord, extensionRecord } from '#lib/testing/api-records.ts';
import { CallsPanel } from './CallsPanel.tsx';
import { NEWEST_CALLS } from './hour-words.ts';

let client = createQueryClient();

afterEach(() => {
  cleanup();
  client.clear();
});

const BEFORE = '2026-11-22T10:00:00.000Z';
const SINCE = '2026-11-22T11:00:00.000Z';
const UNTIL = '2026-11-22T12:00:00.000Z';
const NONE = { calls: 0, failed: 0, timed_out: 0, p50_ms: null, p95_ms: null };

function hourOf(change: Partial<LastHour> = {}): LastHour {
  const nothing = { before: BEFORE, since: SINCE, until: UNTIL, last: NONE, previous: NONE, tools: 0, failing: [], slowest: [] };
  const intervals = [{ since: SINCE, until: UNTIL, calls: 0, failed: 0, timed_out: 0 }];
  return lastHourSchema.parse({ intervals, called_extensions: 0, extensions: [], ...nothing, ...change });
}

const WATCH: WatchState = { mode: 'off', reason: null, self_test: { result: 'not_run', reason: null, at: null, duration_ms: null } };

const CALL = callRecord({ source: 'api', started_at: SINCE, finished_at: SINCE, duration_ms: 3 });

function show(hour: LastHour, calls: readonly (typeof CALL)[] = [CALL], tools = ['get_weather']) {
  client = createQueryClient();
  const extensions = [extensionRecord('weather', tools.length === 0 ? 'failed' : 'ready', { tools })];
  client.setQueryData(queries.extensions().queryKey, { version: 1, watch: WATCH, loading: null, extensions });
  client.setQueryData(queries.calls({}, NEWEST_CALLS).queryKey, firstPage({ calls: [...calls], next_cursor: null }));
  client.setQueryData(lastHourQuery().queryKey, hour);
  render(
    <QueryClientProvider client={client}>
      <CallsPanel />
    </QueryClientProvider>,
  );
}

function addressOf(name: string | RegExp, part: HTMLElement = document.body): string {
  return decodeURIComponent(within(part).getByRole('link', { name }).getAttribute('href') ?? '');
}

it('has an empty state before the first call', () => {
  show(hourOf(), []);
  expect(screen.getByText('No calls yet')).toBeDefined();
  expect(addressOf('Choose a tool')).toBe('/tools');
});

it('links to the extensions if there are no tools', () => {
  show(hourOf(), [], []);
  expect(screen.getByText(/^There is no tool to call yet\./)).toBeDefined();
  expect(screen.queryByRole('link', { name: 'Choose a tool' })).toBeNull();
  expect(addressOf('Show extensions')).toBe('/extensions');
});

it('says that the last hour had no calls, and links to the hour before', () => {
  show(hourOf({ previous: { ...NONE, calls: 12 } }));
  expect(screen.getByText(/^No calls in the last hour/)).toBeDefined();
  expect(addressOf('12 in the hour before')).toBe(`/calls?since=${BEFORE}&until=${SINCE}`);
});

it('links every number to the calls that it counts', () => {
  const slow = { ...NONE, tool: 'query_table', calls: 20, failed: 2, timed_out: 1, p50_ms: 50, p95_ms: 1_000 };
  show(
    hourOf({
      last: { calls: 1_204, failed: 9, timed_out: 3, p50_ms: 12, p95_ms: 400 },
      previous: { calls: 800, failed: 4, timed_out: 0, p50_ms: 10, p95_ms: 200 },
      tools: 4,
      failing: [slow],
      slowest: [slow],
    }),
  );
  expect(addressOf('1,204')).toBe(`/calls?since=${SINCE}`);
  expect(addressOf('hour before: 800')).toBe(`/calls?since=${BEFORE}&until=${SINCE}`);
  expect(addressOf('1%')).toBe(`/calls?status=failed,timed_out&since=${SINCE}`);
  expect(addressOf('9 failed')).toBe(`/calls?status=failed&since=${SINCE}`);
  expect(addressOf('3 timed out')).toBe(`/calls?status=timed_out&since=${SINCE}`);
  expect(addressOf('400 ms')).toBe(`/calls?min_ms=380&since=${SINCE}`);
  expect(addressOf('2 failed')).toBe(`/calls?tool=query_table&status=failed&since=${SINCE}`);
  expect(addressOf('1 timed out')).toBe(`/calls?tool=query_table&status=timed_out&since=${SINCE}`);
  expect(addressOf('of 20')).toBe(`/calls?tool=query_table&since=${SINCE}`);
  expect(addressOf('1.00 s')).toBe(`/calls?tool=query_table&min_ms=950&since=${SINCE}`);
  expect(addressOf('11:00 to 12:00 UTC: 0 calls')).toBe(`/calls?since=${SINCE}&until=${UNTIL}`);
});

it('draws no chart with a single bar', () => {
  const interval = { since: SINCE, until: UNTIL, calls: 6, failed: 1, timed_out: 0 };
  show(hourOf({ last: { ...NONE, calls: 6, failed: 1 }, intervals: [interval, { ...interval, calls: 0, failed: 0 }] }));
  expect(screen.queryByRole('list', { name: 'Last hour in 5-minute bars' })).toBeNull();
  expect(addressOf('11:00 to 12:00 UTC: 6 calls, 1 of them failed')).toBe(`/calls?since=${SINCE}&until=${UNTIL}`);
});
