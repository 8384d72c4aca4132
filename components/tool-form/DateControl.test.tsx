import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { at, FormPage, tried } from './form-for-tests.tsx';

afterEach(cleanup);

const one = (format: string) => ({ type: 'object', properties: { it: { type: 'string', format } } });

/** The native date input behind the text field. */
function picker(): HTMLInputElement {
  const field = document.querySelector<HTMLInputElement>('input[aria-hidden]');
  if (field === null) throw new Error('no picker');
  return field;
}

describe('a date', () => {
  it.each([
    ['date', '2026-0', '2026-01-31', '2026-01-31'],
    ['time', '09:3', '09:30:15+02:00', '09:30:15+02:00'],
    ['date-time', '2026-01-31T', '2026-01-31T09:30:15.5-05:00', '2026-01-31T09:30:15.5-05:00'],
  ])('is in the arguments while typed, even if incomplete, until it is cleared (%s)', (format, half, whole, sent) => {
    render(<FormPage schema={one(format)} />);
    const field = at('/it');
    fireEvent.change(field, { target: { value: half } });
    expect(tried.payload).toEqual({ it: half });
    fireEvent.change(field, { target: { value: whole } });
    expect(tried.payload).toEqual({ it: sent });
    expect(at('/it')).toBe(field);
    fireEvent.change(field, { target: { value: '' } });
    expect(tried.payload).toEqual({});
    expect(tried.unsendable).toEqual({});
  });

  it.each(['date', 'time', 'date-time'])('shows the expected format while it is empty (%s)', (format) => {
    render(<FormPage schema={one(format)} />);
    expect(at('/it').getAttribute('placeholder')).toMatch(/^[\d-]+T?|^\d\d:/);
  });

  it('shows its default while it is empty, and does not send it', () => {
    render(<FormPage schema={{ type: 'object', properties: { it: { type: 'string', format: 'date', default: '2026-01-31' } } }} />);
    expect(at('/it')).toHaveProperty('placeholder', 'default: 2026-01-31');
    expect(tried.payload).toEqual({});
  });

  it('keeps the typed text without a zone, and shows the sent value', () => {
    render(<FormPage schema={one('date-time')} />);
    fireEvent.change(at('/it'), { target: { value: '2026-07-31 23:30' } });
    const sent = `${new Date(2026, 6, 31, 23, 30).toISOString().slice(0, 19)}Z`;
    expect(at('/it')).toHaveProperty('value', '2026-07-31 23:30');
    expect(tried.payload).toEqual({ it: sent });
    expect(screen.getByText(`Sent as ${sent}`).id).toBe(at('/it').getAttribute('aria-describedby')?.split(' ')[0]);
  });

  it('is replaced by an external value', () => {
    render(<FormPage schema={one('date')} first={{ it: '2026-01-31' }} />);
    fireEvent.change(at('/it'), { target: { value: '2026-0' } });
    cleanup();
    render(<FormPage schema={one('date')} first={{ it: '2026-03-01' }} />);
    expect(at('/it')).toHaveProperty('value', '2026-03-01');
  });

  it('is edited as JSON if it has a line break, which a single-line field cannot show', () => {
    render(<FormPage schema={one('date')} first={{ it: '2026-01-31\n' }} />);
    expect(at('/it')).toHaveProperty('value', '"2026-01-31\\n"');
  });
});

describe('the date picker', () => {
  it('opens with a button, and is hidden from Tab and screen readers', () => {
    render(<FormPage schema={one('date')} />);
    const showPicker = vi.fn<() => void>();
    Object.defineProperty(picker(), 'showPicker', { value: showPicker });
    fireEvent.click(screen.getByRole('button', { name: 'Pick a date for it' }));
    expect(showPicker).toHaveBeenCalledTimes(1);
    expect(picker().tabIndex).toBe(-1);
    expect(picker().dataset['path']).toBeUndefined();
  });

  it('inserts the picked value in the previous zone, and can be cleared', () => {
    render(<FormPage schema={one('date-time')} first={{ it: '2026-01-31T09:30:15.25+02:00' }} />);
    expect(picker().value).toBe('2026-01-31T09:30:15');
    fireEvent.change(picker(), { target: { value: '2026-02-01T10:00' } });
    expect(tried.payload).toEqual({ it: '2026-02-01T10:00:00.25+02:00' });
    expect(at('/it')).toHaveProperty('value', '2026-02-01T10:00:00.25+02:00');
    fireEvent.change(picker(), { target: { value: '' } });
    expect(tried.payload).toEqual({});
  });

  it('inserts the current time with "Now"', () => {
    render(<FormPage schema={one('date-time')} />);
    fireEvent.click(screen.getByRole('button', { name: 'Now' }));
    expect(Object.values(tried.payload)).toEqual([expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)]);
  });
});
