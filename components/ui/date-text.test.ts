import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dateOf, localTimeText, momentIn, pickedText, pickerText, sentText, utcOf } from './date-text.ts';
import { LOCAL, minuteOf } from './times.ts';
import type { DateKind } from './date-text.ts';

const KINDS: readonly DateKind[] = ['date', 'time', 'date-time'];
const moments = fc.date({ min: new Date('1000-01-02T00:00:00Z'), max: new Date('9999-12-30T00:00:00Z'), noInvalidDate: true });
const zones = fc.oneof(
  fc.constantFrom('Z', 'z', '+00:00', '-00:00'),
  fc.tuple(fc.constantFrom('+', '-'), fc.nat(13), fc.constantFrom('00', '30', '45')).map(([sign, hours, minutes]) => {
    return `${sign}${String(hours).padStart(2, '0')}:${minutes}`;
  }),
);
const whole = fc
  .tuple(moments, fc.constantFrom('', '.5', '.123456'), zones)
  .map(([moment, fraction, zone]) => `${moment.toISOString().slice(0, 19)}${fraction}${zone}`);
const half = fc.tuple(whole, fc.nat(32)).map(([text, length]) => text.slice(0, length));
const typed = fc.oneof(
  fc.string(),
  half,
  whole,
  half.map((text) => text.slice(11)),
  fc.constantFrom('', ' ', '2026-02-30', '24:00', '9:30'),
);

describe('a typed date', () => {
  it.each<[DateKind, string, string]>([
    ['date', ' 2026-02-28 ', '2026-02-28'],
    ['date', '2026-02-30', '2026-02-30'],
    ['date', '0000-01-01 ', '0000-01-01 '],
    ['time', '09:30:00+02:00', '09:30:00+02:00'],
    ['time', '09:30+02:00', '09:30:00+02:00'],
    ['time', '25:00', '25:00'],
    ['date-time', '2026-01-31T09:30:15.25-05:00', '2026-01-31T09:30:15.25-05:00'],
    ['date-time', '2026-01-31 09:30Z ', '2026-01-31T09:30:00Z'],
    ['date-time', '2026-02-30T09:30:00', '2026-02-30T09:30:00'],
    ['date-time', '2026-01-31', '2026-01-31'],
    ['date-time', 'tomorrow', 'tomorrow'],
  ])('is sent as its value, or unchanged if it is invalid (%s: "%s")', (kind, text, sent) => {
    expect(sentText(kind, text)).toBe(sent);
  });

  it('is in local time without a zone', () => {
    const moment = new Date(2026, 6, 31, 23, 30, 0);
    expect(sentText('date-time', '2026-07-31T23:30')).toBe(utcOf(moment));
    expect(sentText('date-time', '2026-07-31 23:30:00.5')).toBe(utcOf(moment, '.5'));
    expect(sentText('time', '23:30')).toMatch(/^23:30:00(?:Z|[+-]\d\d:\d\d)$/);
  });

  it('is idempotent, and only adds missing parts', () => {
    fc.assert(
      fc.property(fc.constantFrom(...KINDS), typed, (kind, text) => {
        const sent = sentText(kind, text);
        expect(sentText(kind, sent)).toBe(sent);
        if (sent !== text) expect(pickerText(kind, sent)).not.toBe('');
      }),
    );
  });

  it('is sent unchanged when complete', () => {
    fc.assert(
      fc.property(whole, (text) => {
        expect(sentText('date-time', text)).toBe(text);
        expect(sentText('time', text.slice(11))).toBe(text.slice(11));
        expect(sentText('date', text.slice(0, 10))).toBe(text.slice(0, 10));
      }),
    );
  });
});

describe('a picked date', () => {
  it('is unchanged, with zone and fraction, when the same value is picked', () => {
    fc.assert(
      fc.property(fc.constantFrom(...KINDS), whole, (kind, moment) => {
        const text = kind === 'date' ? moment.slice(0, 10) : kind === 'time' ? moment.slice(11) : moment.replace(/z$/, 'Z');
        // Once a year an hour occurs twice, and the picker does not distinguish them.
        fc.pre(kind !== 'date-time' || new Date(pickerText(kind, text)).getTimezoneOffset() === new Date(text).getTimezoneOffset());
        expect(pickedText(kind, pickerText(kind, text), text)).toBe(text);
      }),
    );
  });

  it.each<[DateKind, string, string, string | null]>([
    ['date', '2026-02-01', 'soon', '2026-02-01'],
    ['time', '10:00', '09:30:00.5-05:00', '10:00:00.5-05:00'],
    ['date-time', '2026-02-01T10:00', '2026-01-31T09:30:15.25+02:00', '2026-02-01T10:00:00.25+02:00'],
    ['date', '', '2026-02-01', null],
    ['date-time', '', '2026-01-31T09:30:15Z', null],
    ['date-time', '12026-01-01T00:00', '', null],
  ])('%s: %s replaces "%s"', (kind, picked, before, text) => {
    expect(pickedText(kind, picked, before)).toBe(text);
  });

  it('starts at the typed value', () => {
    expect(pickerText('date', '2026-03-01T09')).toBe('2026-03-01');
    expect(pickerText('date-time', '2026-03-01')).toBe('2026-03-01T00:00:00');
    expect(pickerText('date-time', '2026-03-01T09:30')).toBe('2026-03-01T09:30:00');
    expect(pickerText('time', '9')).toBe('');
  });
});

it('distinguishes valid days from lookalikes', () => {
  expect(dateOf('2026-02-28')).toBe('2026-02-28');
  expect(dateOf('2026-02-30')).toBeNull();
});

it('shows the local time of a moment in another zone only', () => {
  const here = new Date(2026, 0, 31, 9, 30);
  const [sign, hours] = here.getTimezoneOffset() === -540 ? ['-', '09'] : ['+', '09'];
  const there = new Date(`2026-01-31T09:30:00${sign}${hours}:00`);
  const words = localTimeText(`2026-01-31T09:30:00${sign}${hours}:00`);
  expect(words).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
  expect(new Date(words ?? '').getTime()).toBe(there.getTime());
  for (const text of ['', '2026-01-31', '2026-01-31T09:30', 'soon']) expect(localTimeText(text)).toBeNull();
});

describe('the moment of a text', () => {
  it('is the moment of a complete text, whatever the default zone', () => {
    fc.assert(
      fc.property(whole, (text) => {
        const moment = { date: new Date(text.toUpperCase()), isDay: false };
        expect([momentIn(text, 'utc'), momentIn(` ${text} `, 'local')]).toEqual([moment, moment]);
      }),
    );
  });

  it('is parsed from local time as shown, to the minute', () => {
    fc.assert(
      fc.property(moments, (moment) => {
        const shown = minuteOf(moment.toISOString(), LOCAL).slice(0, 16);
        const read = momentIn(shown, 'local');
        expect(shown).toMatch(/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}$/);
        expect(read === null ? '' : minuteOf(read.date.toISOString(), LOCAL).slice(0, 16)).toBe(shown);
      }),
    );
  });

  it.each([
    ['2026-03-01', { date: new Date('2026-03-01T00:00:00Z'), isDay: true }],
    ['2026-03-01 14:30', { date: new Date('2026-03-01T14:30:00Z'), isDay: false }],
    ['2026-03-01T14:30:05.5', { date: new Date('2026-03-01T14:30:05.500Z'), isDay: false }],
    ['2026-02-30', null],
    ['2026-03-01 25:00', null],
    ['14:30', null],
    ['tomorrow', null],
    ['', null],
  ])('is of “%s” in UTC: %o', (text, moment) => {
    expect(momentIn(text, 'utc')).toEqual(moment);
  });
});
