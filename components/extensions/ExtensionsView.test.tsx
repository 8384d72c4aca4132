import { QueryClientProvider } from '@tanstack/react-query';
import { act, cleanup, render, screen, within } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { groupFixture } from '#components/failures/group-for-tests.ts';
import { lastHourQuery } from '#lib/client/call-stats-queries.ts';
import { createQueryClient } from '#lib/client/query-client.ts';
import type { Extension } from '#lib/contract/extension.ts';
import { type ExtensionOfHour, type LastHour, lastHourSchema } from '#lib/contract/last-hour.ts';
import { extensionRecord } from '#lib/testing/api-records.ts';
import { ExtensionTable } from './ExtensionsView.tsx';

let client = createQueryClient();

afterEach(() => {
  cleanup();
  client.clear();
  vi.restoreAllMocks();
});

const SINCE = '2026-11-22T11:00:00.000Z';
const NONE = { calls: 0, failed: 0, timed_out: 0, p50_ms: null, p95_ms: null };

function hourOf(extensions: readonly ExtensionOfHour[], called = extensions.length): LastHour {
  return lastHourSchema.parse({
    before: '2026-11-22T10:00:00.000Z',
    since: SINCE,
    until: '2026-11-22T12:00:00.000Z',
    last: NONE,
    previous: NONE,
    intervals: [],
    tools: 0,
    failing: [],
    slowest: [],
    called_extensions: called,
    extensions,
  });
}

const WEATHER = {
  extension: 'weather',
  calls: 1_204,
  failed: 9,
  timed_out: 3,
  interval_calls: [4, 0, 1_200],
  interval_failures: [0, 0, 12],
};

function show(hour: LastHour | null, extensions: readonly Extension[]) {
  client = createQueryClient();
  if (hour !== null) client.setQueryData(lastHourQuery().queryKey, hour);
  render(
    <QueryClientProvider client={client}>
      <ExtensionTable extensions={extensions} />
    </QueryClientProvider>,
  );
}

function cellOf(id: string): HTMLElement {
  const row = screen.getByRole('link', { name: id }).closest('tr');
  const cell = row === null ? undefined : within(row).getAllByRole('cell')[3];
  if (cell === undefined) throw new Error(`No row of ${id}.`);
  return cell;
}

function addressOf(name: string, part: HTMLElement): string {
  return decodeURIComponent(within(part).getByRole('link', { name }).getAttribute('href') ?? '');
}

it('links the call and failure counts of each extension to their lists', () => {
  show(hourOf([WEATHER, { ...WEATHER, extension: 'math', calls: 1, failed: 0, timed_out: 0 }]), [
    extensionRecord('weather'),
    extensionRecord('math'),
  ]);
  expect(cellOf('weather').textContent).toContain('1,204 calls, 12 failed');
  expect(addressOf('1,204 calls', cellOf('weather'))).toBe(`/calls?extension=weather&since=${SINCE}`);
  expect(addressOf('12 failed', cellOf('weather'))).toBe(`/calls?extension=weather&since=${SINCE}&status=failed,timed_out`);
  expect(addressOf('1 call', cellOf('math'))).toBe(`/calls?extension=math&since=${SINCE}`);
  expect(cellOf('math').textContent).not.toContain('failed');
});

it('draws calls above a baseline and failed ones below it, and no bar for zero', () => {
  show(hourOf([WEATHER]), [extensionRecord('weather')]);
  const bars = [...cellOf('weather').querySelectorAll('path')].map((path) => path.getAttribute('d'));
  expect(bars.slice(1)).toEqual(['M0 8h4v-2h-4zM10 8h4v-8h-4z', 'M10 9h4v2h-4z']);
});

it('draws no bars if all calls fell in one interval', () => {
  show(hourOf([{ ...WEATHER, interval_calls: [0, 0, 7], interval_failures: [0, 0, 2] }]), [extensionRecord('weather')]);
  expect(cellOf('weather').querySelector('svg')).toBeNull();
});

it('shows no calls in muted text, and nothing for disabled extensions', () => {
  show(hourOf([{ ...WEATHER, extension: 'off' }]), [
    extensionRecord('weather'),
    extensionRecord('off', 'disabled'),
    extensionRecord('out', 'excluded'),
  ]);
  expect(cellOf('weather').textContent).toContain('no calls');
  expect(within(cellOf('weather')).queryByRole('link')).toBeNull();
  expect([cellOf('off').textContent, cellOf('out').textContent]).toEqual(['', '']);
});

it('does not claim zero calls if the list is truncated', () => {
  show(hourOf([WEATHER], 2), [extensionRecord('math')]);
  expect(cellOf('math').textContent).toContain('few or no calls');
});

it('shows a loading state, the count, and later counts', async () => {
  let answer: (response: Response) => void = () => undefined;
  vi.spyOn(globalThis, 'fetch').mockImplementation(() => new Promise((resolve) => (answer = resolve)));
  show(null, [extensionRecord('weather')]);
  expect(cellOf('weather').textContent).toContain('loading…');
  act(() => answer(Response.json(hourOf([]))));
  await vi.waitFor(() => expect(cellOf('weather').textContent).toContain('no calls'));
  act(() => {
    client.setQueryData(lastHourQuery().queryKey, hourOf([WEATHER]));
  });
  await vi.waitFor(() => expect(cellOf('weather').textContent).toContain('1,204 calls, 12 failed'));
});

it('says that the counts are not available', async () => {
  vi.spyOn(globalThis, 'fetch').mockImplementation(async () =>
    Response.json({ error: { code: 'internal_error', message: 'No.' } }, { status: 500 }),
  );
  show(null, [extensionRecord('weather')]);
  await vi.waitFor(() => expect(cellOf('weather').textContent).toContain('not available'));
});

it('shows code in the reason of a failure as code', () => {
  const message = 'In `TOOLS[0]`: `parameters/text` is a string.';
  show(null, [extensionRecord('weather', 'failed', { failure: { ...groupFixture().latest, error: message, message, file: null } })]);
  expect(screen.getByTitle(message).textContent).toBe('In TOOLS[0]: parameters/text is a string.');
});

it('shows the message of a failure before its location', () => {
  show(null, [extensionRecord('weather', 'failed', { failure: groupFixture().latest })]);
  expect(screen.getByTitle('weather/extension.ts:3:1: boom').textContent).toBe('boom weather/extension.ts:3:1');
});
