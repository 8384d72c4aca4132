import { cleanup, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, describe, expect, it } from 'vitest';
import { at, FormPage, tried } from './form-for-tests.tsx';

afterEach(cleanup);

const map = (more: Record<string, unknown>) => ({ type: 'object', properties: { it: { type: 'object', ...more } } });
const TEXTS = map({ additionalProperties: { type: 'string' } });

async function addName(user: ReturnType<typeof userEvent.setup>, name: string) {
  await user.click(screen.getByRole('button', { name: 'Add a name to it' }));
  await user.keyboard(name);
}

describe('the names of a map', () => {
  it('are sent while they are typed', async () => {
    const user = userEvent.setup();
    render(<FormPage schema={TEXTS} />);
    await addName(user, 'team');
    expect(tried).toEqual({ payload: { it: { team: '' } }, unsendable: {} });
  });

  it('block the run while one is a duplicate or not allowed', async () => {
    const user = userEvent.setup();
    render(<FormPage schema={TEXTS} first={{ it: { foo: '1' } }} />);
    await addName(user, 'foo');
    expect(tried.unsendable).toEqual({ '/it/fo/~name': 'The name "foo" is taken. Choose another.' });
    await user.keyboard('t');
    expect(tried).toEqual({ payload: { it: { foo: '1', foot: '' } }, unsendable: {} });
    await user.clear(screen.getByRole('textbox', { name: 'Name of foot' }));
    await user.keyboard('__proto__');
    expect(Object.values(tried.unsendable)).toEqual(['The name "__proto__" is refused by the server. Choose another.']);
  });

  it('that look like numbers move neither the rows nor the focus', async () => {
    const user = userEvent.setup();
    render(<FormPage schema={TEXTS} first={{ it: { foo: 'f' } }} />);
    await addName(user, '200');
    expect(document.activeElement).toBe(screen.getByRole('textbox', { name: 'Name of 200' }));
    await user.tab();
    await user.keyboard('ok');
    expect(tried.payload).toEqual({ it: { foo: 'f', 200: 'ok' } });
    expect(screen.getAllByRole('textbox', { name: /^Name of / }).map((field) => field.getAttribute('aria-label'))).toEqual([
      'Name of foo',
      'Name of 200',
    ]);
  });

  it('may begin with the name of a property', async () => {
    const user = userEvent.setup();
    render(<FormPage schema={map({ properties: { id: { type: 'string' } }, additionalProperties: { type: 'string' } })} />);
    await addName(user, 'ide');
    expect(tried.payload).toEqual({ it: { ide: '' } });
  });

  it('that match no pattern stay editable, with the expected pattern', async () => {
    const user = userEvent.setup();
    const patterns = { '^x-': { type: 'string' }, '^n-': { type: 'integer' } };
    render(<FormPage schema={map({ patternProperties: patterns, additionalProperties: false })} />);
    await addName(user, 'y-a');
    const field = screen.getByRole('textbox', { name: 'Name of y-a' });
    expect(document.activeElement).toBe(field);
    expect(tried.unsendable).toEqual({ '/it/y-a/~name': 'Names here must match one of the patterns ^x-, ^n-.' });
    await user.clear(field);
    await user.keyboard('n-a');
    await user.type(at('/it/n-a'), '1');
    expect(tried).toEqual({ payload: { it: { 'n-a': 1 } }, unsendable: {} });
  });
});
