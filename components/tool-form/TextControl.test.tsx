import { cleanup, createEvent, fireEvent, render } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, describe, expect, it } from 'vitest';
import { at, FormPage, tried } from './form-for-tests.tsx';

afterEach(cleanup);

const KEY = '-----BEGIN KEY-----\nMIIB\n-----END KEY-----\n';
const one = (it: Record<string, unknown>) => ({ type: 'object', properties: { it } });

function paste(field: HTMLElement, text: string) {
  const event = createEvent.paste(field, { clipboardData: { getData: () => text } });
  fireEvent(field, event);
  return event.defaultPrevented;
}

function select(field: HTMLElement, from: number, to: number) {
  if (field instanceof HTMLInputElement) field.setSelectionRange(from, to);
}

describe('pasted text', () => {
  it.each([
    ['a text', { type: 'string' }],
    ['a secret', { type: 'string', format: 'password' }],
  ])('keeps its line breaks in a field for %s', (_, it) => {
    render(<FormPage schema={one(it)} first={{ it: 'ab' }} />);
    at('/it').focus();
    select(at('/it'), 1, 2);
    expect(paste(at('/it'), KEY.replaceAll('\n', '\r\n'))).toBe(true);
    expect(tried.payload).toEqual({ it: `a${KEY}` });
    expect(at('/it').tagName).toBe('TEXTAREA');
    expect(document.activeElement).toBe(at('/it'));
  });

  it('stays masked in a secret field', () => {
    render(<FormPage schema={one({ type: 'string', format: 'password' })} first={{ it: KEY }} />);
    expect(at('/it').className).toContain('text-security');
    fireEvent.click(document.querySelector('[aria-pressed]')!);
    expect(at('/it').className).not.toContain('text-security');
  });

  it('is left to the browser where it is one line', () => {
    render(<FormPage schema={one({ type: 'string' })} />);
    expect(paste(at('/it'), 'one line')).toBe(false);
    expect(at('/it').tagName).toBe('INPUT');
  });
});

describe('dropped text', () => {
  it('keeps its line breaks', () => {
    render(<FormPage schema={one({ type: 'string' })} first={{ it: 'ab' }} />);
    const event = createEvent.drop(at('/it'), { dataTransfer: { getData: () => 'x\r\ny' } });
    fireEvent(at('/it'), event);
    expect(event.defaultPrevented).toBe(true);
    expect(tried.payload).toEqual({ it: 'abx\ny' });
    expect(at('/it').tagName).toBe('TEXTAREA');
  });

  it('is left to the browser where it is one line', () => {
    render(<FormPage schema={one({ type: 'string' })} />);
    const event = createEvent.drop(at('/it'), { dataTransfer: { getData: () => 'xy' } });
    fireEvent(at('/it'), event);
    expect(event.defaultPrevented).toBe(false);
  });
});

describe('a single-line text field', () => {
  it('gets a second line with Shift+Enter', async () => {
    const user = userEvent.setup();
    render(<FormPage schema={one({ type: 'string' })} />);
    await user.type(at('/it'), 'one');
    await user.keyboard('{Shift>}{Enter}{/Shift}');
    expect(document.activeElement).toBe(at('/it'));
    await user.keyboard('two');
    expect(tried.payload).toEqual({ it: 'one\ntwo' });
  });

  it('is replaced by a JSON field for text that a text field would change', () => {
    render(<FormPage schema={one({ type: ['string', 'integer'] })} first={{ it: 'a\r\nb' }} />);
    expect(at('/it')).toHaveProperty('value', '"a\\r\\nb"');
  });
});
