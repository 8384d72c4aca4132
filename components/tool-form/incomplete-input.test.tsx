import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FormPage, type FormPageProps, at, tried } from './form-for-tests.tsx';
import { IncompleteInputContext, createIncompleteInput } from './incomplete-input.ts';

let stored: string | null = null;
const drafts = {
  read: () => stored,
  write: (_tool: string, _kind: string, text: string | null) => {
    stored = text;
  },
};

beforeEach(() => {
  stored = null;
});
afterEach(cleanup);

/** Opens the page again, like a person who returns to it. */
function open(props: FormPageProps) {
  cleanup();
  render(
    <IncompleteInputContext value={createIncompleteInput(drafts, 'a_tool')}>
      <FormPage {...props} />
    </IncompleteInputContext>,
  );
}

const one = (it: Record<string, unknown>) => ({ type: 'object', properties: { it } });
const MANY = Array.from({ length: 50 }, (_, index) => `v${index}`);

describe('incomplete input', () => {
  it.each([
    ['a number', { type: 'number' }, '1e'],
    ['any JSON', {}, '{"a": '],
    ['a long list', { enum: MANY }, 'none of them'],
  ])('of %s is restored with the page, and still cannot be sent', (_, it, text) => {
    open({ schema: one(it) });
    fireEvent.change(at('/it'), { target: { value: text } });
    open({ schema: one(it) });
    expect(at('/it')).toHaveProperty('value', text);
    expect(Object.keys(tried.unsendable)).toEqual(['/it']);
    fireEvent.change(at('/it'), { target: { value: '' } });
    expect(stored).toBeNull();
  });

  it('of a time without a zone is restored, beside the sent value', () => {
    const page = { schema: one({ type: 'string', format: 'date-time' }) };
    open(page);
    fireEvent.change(at('/it'), { target: { value: '2026-03-01 09:30' } });
    const first = tried.payload;
    open({ ...page, first });
    expect(at('/it')).toHaveProperty('value', '2026-03-01 09:30');
    expect(tried.payload).toEqual(first);
    open({ ...page, first: { it: '2026-03-02T00:00:00Z' } });
    expect(at('/it')).toHaveProperty('value', '2026-03-02T00:00:00Z');
    expect(stored).toBeNull();
  });

  it('of a name is restored', async () => {
    const page = { schema: one({ type: 'object', additionalProperties: { type: 'string' } }), first: { it: { a: '', b: '' } } };
    open(page);
    await userEvent.setup().type(screen.getByRole('textbox', { name: 'Name of b' }), '{Backspace}a');
    open({ ...page, first: { it: { a: '', '': '' } } });
    expect(Object.values(tried.unsendable)).toEqual(['The name "a" is taken. Choose another.']);
  });

  it('is removed with its item', () => {
    const page = { schema: one({ type: 'array', items: { type: 'number' } }), first: { it: [null] } };
    open(page);
    fireEvent.change(at('/it/0'), { target: { value: 'x' } });
    expect(stored).toBe('{"/it/0":"x"}');
    fireEvent.click(screen.getByRole('button', { name: 'Remove item 1' }));
    expect(stored).toBeNull();
  });

  it('is replaced by an external value', () => {
    stored = '{"/it":"none of them"}';
    open({ schema: one({ enum: MANY }), first: { it: 'v7' } });
    expect(at('/it')).toHaveProperty('value', 'v7');
    expect(tried.unsendable).toEqual({});
  });
});
