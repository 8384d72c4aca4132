import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, describe, expect, it } from 'vitest';
import { momentTextOf, pickedTextOf } from './date-text.ts';
import { at, FormPage, tried } from './form-for-tests.tsx';

afterEach(cleanup);

const one = (format: string) => ({ type: 'object', properties: { it: { type: 'string', format } } });

/** What a browser says of a field with half a date, which has no value. */
function typeHalf(field: HTMLElement, badInput: boolean) {
  Object.defineProperty(field, 'validity', { configurable: true, value: { badInput } });
  fireEvent.keyUp(field, { key: '1' });
}

describe('a date', () => {
  it.each([
    ['date', '2026-01-31', /day, month and year/],
    ['date-time', '2026-01-31T09:30:15', /Enter both/],
  ])('that is half typed keeps the form from being run (%s)', (format, whole, says) => {
    render(<FormPage schema={one(format)} />);
    typeHalf(at('/it'), true);
    expect(tried.payload).toEqual({});
    expect(tried.unsendable['/it']).toMatch(says);
    typeHalf(at('/it'), false);
    fireEvent.change(at('/it'), { target: { value: whole } });
    expect(tried.unsendable).toEqual({});
    expect(Object.keys(tried.payload)).toEqual(['it']);
  });

  it('that is typed as text stays text while it becomes a date', () => {
    render(<FormPage schema={one('date')} first={{ it: 'soon' }} />);
    const field = at('/it');
    fireEvent.change(field, { target: { value: '2026-01-31' } });
    expect(at('/it')).toBe(field);
    expect(tried.payload).toEqual({ it: '2026-01-31' });
  });

  it('keeps its zone and its fraction of a second when another time is picked', () => {
    render(<FormPage schema={one('date-time')} first={{ it: '2026-01-31T09:30:15.25+02:00' }} />);
    expect(at('/it')).toHaveProperty('value', '2026-01-31T09:30:15');
    fireEvent.change(at('/it'), { target: { value: '2026-02-01T10:00' } });
    expect(tried.payload).toEqual({ it: '2026-02-01T10:00:00.25+02:00' });
  });

  it('with its time can be typed, with any zone', () => {
    render(<FormPage schema={one('date-time')} />);
    fireEvent.click(screen.getByRole('button', { name: 'As text' }));
    fireEvent.change(at('/it'), { target: { value: '2026-01-31T09:30:15-05:00' } });
    expect(tried.payload).toEqual({ it: '2026-01-31T09:30:15-05:00' });
    fireEvent.click(screen.getByRole('button', { name: 'Pick it' }));
    expect(at('/it')).toHaveProperty('value', '2026-01-31T09:30:15');
  });

  it('in UTC is picked in local time and stays the same moment', () => {
    const text = '2026-07-31T23:30:00.123Z';
    expect(momentTextOf(pickedTextOf(text), text)).toBe(text);
    expect(momentTextOf('', text)).toBeNull();
    expect(momentTextOf('12026-01-01T00:00', '')).toBeNull();
  });
});
