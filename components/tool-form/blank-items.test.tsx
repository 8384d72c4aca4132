import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, describe, expect, it } from 'vitest';
import { at, FormPage, tried } from './form-for-tests.tsx';

afterEach(cleanup);

const list = (items: unknown) => ({ type: 'object', properties: { it: { type: 'array', items } } });

async function addItem() {
  const user = userEvent.setup();
  await user.click(screen.getByRole('button', { name: 'Add an item to it' }));
  return user;
}

describe('a new item', () => {
  it('for any JSON starts empty and focused, and can be emptied again', async () => {
    render(<FormPage schema={list({})} />);
    await addItem();
    // Not with key events, which would replace the text area with the editor.
    const type = (value: string) => fireEvent.change(at('/it/0'), { target: { value } });
    expect(at('/it/0')).toHaveProperty('value', '');
    expect(document.activeElement).toBe(at('/it/0'));
    type('5');
    expect(tried).toEqual({ payload: { it: [5] }, unsendable: {} });
    type('');
    expect(at('/it/0')).toHaveProperty('value', '');
    expect(tried).toEqual({ payload: { it: [null] }, unsendable: {} });
    type('null');
    expect(at('/it/0')).toHaveProperty('value', 'null');
    expect(tried).toEqual({ payload: { it: [null] }, unsendable: {} });
  });

  it('for a long enum is found by typing', async () => {
    render(<FormPage schema={list({ enum: Array.from({ length: 200 }, (_, place) => place) })} />);
    const user = await addItem();
    expect(at('/it/0')).toHaveProperty('value', '');
    await user.keyboard('14');
    expect(at('/it/0')).toHaveProperty('value', '14');
    await user.keyboard('{ArrowDown}{Enter}');
    expect(tried).toEqual({ payload: { it: [140] }, unsendable: {} });
  });

  it('is not offered where no item is accepted', () => {
    render(<FormPage schema={list(false)} />);
    expect(screen.queryByRole('button', { name: 'Add an item to it' })).toBeNull();
    expect(screen.getByText('No items')).toBeDefined();
  });
});

describe('an empty list, an empty object or null', () => {
  it.each([
    ['empty list', { type: 'array', items: { type: 'string' } }, []],
    ['empty object', { type: 'object', properties: { a: { type: 'string' } } }, {}],
    ['null', { type: ['integer', 'null'] }, null],
  ])('is shown beside its name: %s', (words, it, value) => {
    render(<FormPage schema={{ type: 'object', properties: { it } }} first={{ it: value }} />);
    expect(screen.getByText(words)).toBeDefined();
    expect(screen.getByRole('button', { name: 'Do not send it' })).toBeDefined();
  });
});
