import { QueryClientProvider } from '@tanstack/react-query';
import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createQueryClient } from '#lib/client/query-client.ts';
import { queries } from '#lib/client/queries.ts';
import { extensionRecord } from '#lib/testing/api-records.ts';
import { CommandPalette, findEntries, searchable } from './CommandPalette.tsx';
import { shellState } from './shell-state.ts';

const pushed: string[] = [];
vi.mock('next/navigation', () => ({ usePathname: () => '/', useRouter: () => ({ push: (href: string) => pushed.push(href) }) }));

afterEach(() => {
  cleanup();
  shellState.show(null);
});

it('finds a tool among thousands, renders only the best matches, and opens the first with Enter', () => {
  const client = createQueryClient();
  const extensions = Array.from({ length: 50 }, (_, at) =>
    extensionRecord(`many_${at}`, 'ready', { tools: Array.from({ length: 100 }, (_tool, place) => `get_${at}_${place}`) }),
  );
  const watch = { mode: 'native', reason: null, self_test: { result: 'seen', reason: null, at: null, duration_ms: null } } as const;
  client.setQueryData(queries.extensions().queryKey, { version: 1, watch, loading: null, extensions });
  vi.spyOn(globalThis, 'fetch').mockImplementation(() => new Promise(() => undefined));
  shellState.show('palette');
  render(
    <QueryClientProvider client={client}>
      <CommandPalette />
    </QueryClientProvider>,
  );
  const field = screen.getByRole('combobox');
  expect(screen.getAllByRole('option').length).toBeLessThan(200);
  expect(screen.getByText('4,950 more: type more of the name')).not.toBeNull();
  fireEvent.change(field, { target: { value: 'many_49 get_49_7' } });
  const names = screen.getAllByRole('option').map((option) => option.querySelector('span')?.textContent);
  expect(names).toEqual(['get_49_7', ...Array.from({ length: 10 }, (_, at) => `get_49_7${at}`)]);
  fireEvent.keyDown(field, { key: 'Enter' });
  expect(pushed).toEqual(['/tools/get_49_7']);
  expect(shellState.open()).toBeNull();
});

const tools = ['forget', 'get_forecast', 'get_weather', 'weather_map'];
const entries = searchable(tools, (name) => [`tool ${name}`, name === 'get_forecast' ? 'Weather' : 'Other', 'met']);

describe('the palette search', () => {
  it('returns all entries in order for an empty search', () => {
    expect(findEntries(entries, ' ')).toEqual({ items: tools, more: 0, score: 1 });
    expect(findEntries([], 'x')).toEqual({ items: [], more: 0, score: 0 });
  });

  it('finds entries with every word, in any order and case', () => {
    expect(findEntries(entries, 'WEATHER get').items).toEqual(['get_forecast', 'get_weather']);
    expect(findEntries(entries, 'weather nothing')).toEqual({ items: [], more: 0, score: 0 });
  });

  it('ranks entries with a matching word prefix first', () => {
    expect(findEntries(entries, 'get')).toEqual({ items: ['get_forecast', 'get_weather', 'forget'], more: 0, score: 1 });
    expect(findEntries(entries, 'eather').score).toBe(0.5);
  });

  it('ranks names that start with the search before names that contain it', () => {
    expect(findEntries(entries, 'weather').items).toEqual(['weather_map', 'get_forecast', 'get_weather']);
  });

  it('limits the matches, and counts the others', () => {
    const many = searchable(
      Array.from({ length: 5_000 }, (_, at) => (at === 4_999 ? 'map_cities' : `bitmap_${at}`)),
      (name) => [`tool ${name}`],
    );
    const found = findEntries(many, 'map');
    expect(found.items).toHaveLength(50);
    expect(found.items[0]).toBe('map_cities');
    expect(found.more).toBe(4_950);
  });
});
