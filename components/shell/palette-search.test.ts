import { describe, expect, it } from 'vitest';
import { findEntries, searchable } from './palette-search.ts';

const tools = ['forget', 'get_forecast', 'get_weather', 'weather_map'];
const entries = searchable(tools, (name) => [`tool ${name}`, name === 'get_forecast' ? 'Weather' : 'Other', 'met']);

describe('the search of the palette', () => {
  it('finds all entries without a search, in their order', () => {
    expect(findEntries(entries, ' ')).toEqual({ items: tools, more: 0, score: 1 });
    expect(findEntries([], 'x')).toEqual({ items: [], more: 0, score: 0 });
  });

  it('finds entries with every word, in any order and case', () => {
    expect(findEntries(entries, 'WEATHER get').items).toEqual(['get_forecast', 'get_weather']);
    expect(findEntries(entries, 'weather nothing')).toEqual({ items: [], more: 0, score: 0 });
  });

  it('puts entries with a word that begins so before others', () => {
    expect(findEntries(entries, 'get')).toEqual({ items: ['get_forecast', 'get_weather', 'forget'], more: 0, score: 1 });
    expect(findEntries(entries, 'eather').score).toBe(0.5);
  });

  it('shows the best of very many, and says how many more match', () => {
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
