import { expect, it, vi } from 'vitest';
import { TOOL } from './extension.ts';
import { sampleForecast } from './sample-forecast.ts';

const log = { debug() {}, info() {}, warn() {}, error() {} };
const ctx = { signal: new AbortController().signal, log, progress() {}, call_id: 'call', workspace_root: '/' };

it('gives the same days for the same city in any case, and others for another city or date', () => {
  const days = sampleForecast('Lisbon', '2026-11-21', 7, 'metric');
  expect(days).toHaveLength(7);
  expect(sampleForecast('LISBON', '2026-11-21', 7, 'metric')).toEqual(days);
  expect(sampleForecast('Lisbon', '2026-11-22', 1, 'metric')[0]).toEqual(days[1]);
  expect(sampleForecast('Oslo', '2026-11-21', 7, 'metric')).not.toEqual(days);
});

it('goes over the end of a month and of a year', () => {
  expect(sampleForecast('Oslo', '2027-12-30', 4, 'metric').map((day) => day.date)).toEqual([
    '2027-12-30',
    '2027-12-31',
    '2028-01-01',
    '2028-01-02',
  ]);
});

it('converts for imperial units, and low is never above high', () => {
  for (const city of ['Lisbon', 'Oslo', 'Lima', 'Perth', 'x']) {
    const metric = sampleForecast(city, '2026-02-01', 7, 'metric');
    const imperial = sampleForecast(city, '2026-02-01', 7, 'imperial');
    expect(imperial.map((day) => day.high)).toEqual(metric.map((day) => Math.round(day.high * 1.8 + 32)));
    expect(metric.every((day) => day.low < day.high && day.rain_chance_percent <= 100)).toBe(true);
  }
});

it('begins today when no date is given, and says that it is sample data', () => {
  vi.useFakeTimers({ now: new Date('2026-11-21T23:59:00Z') });
  const answer = TOOL.execute({ city: ' Lisbon ', units: 'metric', days: 1 }, ctx);
  vi.useRealTimers();
  expect(answer).toMatchObject({ city: 'Lisbon', forecast: [{ date: '2026-11-21' }], note: expect.stringContaining('Sample data') });
});

it('refuses a city of spaces', () => {
  expect(() => TOOL.execute({ city: '  ', units: 'metric', days: 1 }, ctx)).toThrow('Name a city');
});
