import assert from 'node:assert/strict';
import { it } from 'node:test';
import { TOOL } from './extension.ts';
import { sampleForecast } from './sample-forecast.ts';

const log = { debug() {}, info() {}, warn() {}, error() {} };
const nobody = () => Promise.reject(new Error('Nobody can answer here'));
const ctx = {
  signal: new AbortController().signal,
  log,
  progress() {},
  elicit: nobody,
  sample: nobody,
  call_id: 'call',
  workspace_root: '/',
};

it('returns the same days for the same city in any case, and others for another city or date', () => {
  const days = sampleForecast('Lisbon', '2026-11-21', 7, 'metric');
  assert.equal(days.length, 7);
  assert.deepEqual(sampleForecast('LISBON', '2026-11-21', 7, 'metric'), days);
  assert.deepEqual(sampleForecast('Lisbon', '2026-11-22', 1, 'metric')[0], days[1]);
  assert.notDeepEqual(sampleForecast('Oslo', '2026-11-21', 7, 'metric'), days);
});

it('continues after the end of a month and of a year', () => {
  const dates = sampleForecast('Oslo', '2027-12-30', 4, 'metric').map((day) => day.date);
  assert.deepEqual(dates, ['2027-12-30', '2027-12-31', '2028-01-01', '2028-01-02']);
});

it('converts for imperial units, and low is never above high', () => {
  for (const city of ['Lisbon', 'Oslo', 'Lima', 'Perth', 'x']) {
    const metric = sampleForecast(city, '2026-02-01', 7, 'metric');
    const imperial = sampleForecast(city, '2026-02-01', 7, 'imperial');
    const converted = metric.map((day) => Math.round(day.high * 1.8 + 32));
    assert.deepEqual(
      imperial.map((day) => day.high),
      converted,
    );
    assert.ok(metric.every((day) => day.low < day.high && day.rain_chance_percent <= 100));
  }
});

it('starts today without a date, and is marked as sample data', (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: new Date('2026-11-21T23:59:00Z') });
  const answer = TOOL.execute({ city: ' Lisbon ', units: 'metric', days: 1 }, ctx);
  assert.partialDeepStrictEqual(answer, { city: 'Lisbon', forecast: [{ date: '2026-11-21' }] });
  assert.match(JSON.stringify(answer), /Sample data/);
});

it('refuses a city of spaces', () => {
  assert.throws(() => TOOL.execute({ city: '  ', units: 'metric', days: 1 }, ctx), /Name a city/);
});
