import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, describe, expect, it } from 'vitest';
import { at, FormPage, tried } from './form-for-tests.tsx';

afterEach(cleanup);

const one = (it: Record<string, unknown>) => ({ type: 'object', properties: { it: { type: 'string', ...it } } });
const BYTES = new Uint8Array([0, 255, 254, 62, 63, 10]);
const IN_BASE64 = 'AP/+Pj8K';
const picker = () => document.querySelector<HTMLInputElement>('input[type=file]')!;
const value = () => (at('/it') instanceof HTMLInputElement ? (at('/it') as HTMLInputElement).value : null);

function show(it: Record<string, unknown> = { contentEncoding: 'base64' }, first = {}) {
  render(<FormPage schema={one(it)} first={first} />);
  return userEvent.setup();
}

describe('a field for bytes', () => {
  it('accepts a chosen file, and shows its name and size instead of its text', async () => {
    const user = show();
    await user.upload(picker(), new File([BYTES], 'Bild ö.png'));
    await waitFor(() => expect(tried.payload).toEqual({ it: IN_BASE64 }));
    expect(value()).toBe('Bild ö.png, 6 bytes');
    expect(at('/it')).toHaveProperty('readOnly', true);
    expect(screen.getByRole('status').textContent).toBe('The file is filled in, 6 bytes.');
  });

  it('accepts a dropped file', async () => {
    show({ format: 'byte' });
    const dataTransfer = { types: ['Files'], files: [new File([BYTES], 'a.bin')] };
    fireEvent.dragOver(at('/it'), { dataTransfer });
    fireEvent.drop(at('/it'), { dataTransfer });
    await waitFor(() => expect(value()).toBe('a.bin, 6 bytes'));
  });

  it('encodes as base64url if the schema requires it', async () => {
    const user = show({ contentEncoding: 'base64url' });
    await user.upload(picker(), new File([BYTES.slice(0, 4)], 'a'));
    await waitFor(() => expect(tried.payload).toEqual({ it: 'AP_-Pg' }));
  });

  it('can be cleared, focuses the file button, and accepts text again', async () => {
    const user = show();
    await user.upload(picker(), new File([BYTES], 'a.bin'));
    await user.click(await screen.findByRole('button', { name: 'Clear it' }));
    expect(tried.payload).toEqual({});
    expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Choose a file for it' }));
    await user.type(at('/it'), 'YWI=');
    expect(tried.payload).toEqual({ it: 'YWI=' });
    expect(screen.getByRole('status').textContent).toBe('2 bytes');
    await user.type(at('/it'), '!');
    expect(screen.getByRole('status').textContent).toBe('This is not base64.');
  });

  it.each([
    [{ contentEncoding: 'base64' }, 774_144, '756 KiB'],
    [{ format: 'byte', maxLength: 9 }, 6, '6 bytes'],
  ])('rejects a file that is too large, and keeps the previous value: %j', async (schema, max, words) => {
    const user = show(schema, { it: 'YWI=' });
    await user.upload(picker(), new File([new Uint8Array(max + 1)], 'large.bin'));
    expect(screen.getByRole('status').textContent).toContain(` is larger than ${words}, the most that can be sent. Choose a smaller file.`);
    expect(tried.payload).toEqual({ it: 'YWI=' });
    await user.upload(picker(), new File([new Uint8Array(max)], 'fits.bin'));
    await waitFor(() => expect(value()).toBe(`fits.bin, ${words}`));
  });

  it('shows the size of a long text instead of the text', () => {
    show({ contentEncoding: 'base64' }, { it: 'AAAA'.repeat(1_000) });
    expect(value()).toBe('2.9 KiB of base64');
  });

  it('leaves dropped text to the field, and offers files of the declared type', () => {
    show({ contentEncoding: 'base64', contentMediaType: 'image/png' });
    const event = fireEvent.drop(at('/it'), { dataTransfer: { types: ['text/plain'], files: [] } });
    expect(event, 'is left to the field').toBe(true);
    expect(picker().accept).toBe('image/png');
  });
});
