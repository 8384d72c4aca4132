import { cleanup, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, describe, expect, it } from 'vitest';
import { at, FormPage } from './form-for-tests.tsx';

afterEach(cleanup);

const wrong = (path: string) => [{ path, message: 'This is wrong.' }];
const properties = (more: Record<string, unknown>) => ({ type: 'object', properties: more });

describe('what is wrong', () => {
  it.each([
    ['the arguments as a whole', properties({ a: {} }), {}, ''],
    ['arguments of any names', { type: 'object', additionalProperties: { type: 'string' } }, {}, ''],
    ['a list in a list', properties({ it: { type: 'array', items: { type: 'array', items: {} } } }), { it: [[]] }, '/it/0'],
    ['an object in a map', properties({ it: { additionalProperties: { properties: { x: {} } } } }), { it: { a: {} } }, '/it/a'],
    ['a text that may be a list', properties({ it: { oneOf: [{ type: 'string' }, { type: 'array', items: {} }] } }), { it: 'x' }, '/it'],
    [
      'an object of several forms',
      { type: 'object', anyOf: [{ properties: { a: {} }, required: ['a'] }, { properties: { b: {} } }] },
      {},
      '',
    ],
    ['what is edited as JSON', properties({ it: {} }), { it: { x: 1 } }, '/it/x'],
  ])('with %s is said once, at a place that can be gone to', (_, schema, first, path) => {
    render(<FormPage schema={schema} first={first} issues={wrong(path)} />);
    expect(screen.getAllByText(/This is wrong\./)).toHaveLength(1);
    expect(at(path === '/it/x' ? '/it' : path)).toBeDefined();
  });

  it('in a form that nobody has chosen asks for the choice', () => {
    const mail = { title: 'By mail', properties: { to: {} }, required: ['to'] };
    const phone = { title: 'By phone', properties: { number: {} }, required: ['number'] };
    render(<FormPage schema={{ type: 'object', oneOf: [mail, phone] }} issues={[...wrong('/to'), ...wrong('/number')]} />);
    expect(screen.getAllByText(/Choose a form first: By mail, By phone\.|This is wrong\./)).toHaveLength(1);
    expect(at('')).toBe(screen.getByRole('combobox', { name: 'Form of the arguments' }));
  });

  it('stays in sight when a field is searched for', async () => {
    const names = Array.from({ length: 20 }, (_, index) => [`p${index}`, { type: 'string' }]);
    render(<FormPage schema={properties(Object.fromEntries(names))} issues={wrong('/p7')} />);
    await userEvent.setup().type(screen.getByRole('searchbox', { name: 'Find a field' }), 'p12');
    expect(at('/p12')).toBeDefined();
    expect(at('/p7')).toBeDefined();
    expect(document.querySelector('[data-path="/p8"]')).toBeNull();
  });
});
