import { cleanup, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, describe, expect, it } from 'vitest';
import { FormPage, at, tried } from './form-for-tests.tsx';

afterEach(cleanup);

const wrong = (path: string) => [{ path, message: 'This is wrong.' }];
const properties = (more: Record<string, unknown>) => ({ type: 'object', properties: more });

describe('what is wrong', () => {
  it.each([
    ['the arguments', properties({ a: {} }), {}, ''],
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

afterEach(cleanup);

const one = (it: Record<string, unknown>) => ({ type: 'object', properties: { it } });
const SIZE = { type: 'object', properties: { w: { type: 'integer' }, h: { type: 'integer' } }, default: { w: 1, h: 2 } };

async function choose(how: RegExp) {
  const user = userEvent.setup();
  await user.click(screen.getByRole('button', { name: /^How it is sent/ }));
  await user.click(await screen.findByRole('menuitem', { name: how }));
}

describe('a default', () => {
  it.each([
    ['an object', SIZE, { w: 1, h: 2 }],
    ['several forms', { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }], default: ['x'] }, ['x']],
    ['a list', { type: 'array', items: { type: 'string' }, default: ['x', 'y'] }, ['x', 'y']],
  ])('of %s is in sight and can be filled in', async (_, it, value) => {
    render(<FormPage schema={one(it)} />);
    expect(screen.getByText(`Default: ${JSON.stringify(value)}`)).toBeDefined();
    expect(tried.payload).toEqual({});
    await choose(/^Fill in the default/);
    expect(tried.payload).toEqual({ it: value });
  });

  it('of a list of choices is called as the list calls it', () => {
    const choices = [
      { const: 'md', title: 'Markdown table' },
      { const: 'csv', title: 'Plain rows' },
    ];
    render(<FormPage schema={one({ oneOf: choices, default: 'md' })} />);
    expect(screen.getByRole('option', { name: 'not sent (default: Markdown table)' })).toBeDefined();
  });

  it('of an object no longer applies once a part is filled in, and the rest can be filled in', async () => {
    render(<FormPage schema={one(SIZE)} />);
    await userEvent.setup().type(at('/it/w'), '5');
    expect(tried.payload).toEqual({ it: { w: 5 } });
    expect(screen.getByText('Default: {"w":1,"h":2}, used only while this is empty')).toBeDefined();
    await choose(/^Fill in the rest of the default/);
    expect(tried.payload).toEqual({ it: { w: 5, h: 2 } });
  });
});

describe('words of the schema', () => {
  it('about items, values and forms are shown', async () => {
    const text = { type: 'string', description: 'A stop on the way.', examples: ['Porto'] };
    render(
      <FormPage
        schema={{
          type: 'object',
          properties: {
            list: { type: 'array', items: text },
            map: { type: 'object', additionalProperties: { type: 'string', description: 'What it is called.' } },
            form: {
              oneOf: [
                { title: 'A', type: 'string', description: 'As text.' },
                { title: 'B', type: 'integer' },
              ],
            },
            mode: { oneOf: [{ const: 'x', title: 'X', description: 'The quick one.' }, { const: 'y' }] },
          },
        }}
        first={{ list: [''], form: 'f', mode: 'x' }}
      />,
    );
    for (const words of ['Each item: A stop on the way.', 'Each value: What it is called.', 'As text.', 'The quick one.'])
      expect(screen.getByText(words)).toBeDefined();
    await userEvent.setup().click(screen.getByRole('button', { name: 'Fill in Item 1: Porto' }));
    expect(tried.payload).toMatchObject({ list: ['Porto'] });
  });
});

describe('what is sent', () => {
  it.each([
    ['Text', '', 'empty text'],
    ['A', {}, 'empty object'],
  ])('is said to be empty as soon as a form is chosen (%s)', async (title, value, word) => {
    const forms = [{ type: 'string' }, { title: 'A', type: 'object', properties: { a: { type: 'string' } } }];
    render(<FormPage schema={one({ anyOf: forms })} />);
    await userEvent.setup().selectOptions(screen.getByRole('combobox', { name: 'Form of it' }), title);
    expect(tried.payload).toEqual({ it: value });
    expect(screen.getByText(word)).toBeDefined();
  });

  it.each([
    ['a field that may be null says it in its control', { type: ['boolean', 'null'] }, 1],
    ['one that may not says it beside its name', { type: 'boolean' }, 1],
    ['a list of choices says it once', { enum: ['a', null] }, 1],
  ])('is null: %s', (_, it, times) => {
    render(<FormPage schema={one(it)} first={{ it: null }} />);
    expect(screen.getAllByText('null', { ignore: 'textarea' })).toHaveLength(times);
  });

  it('can be null in a long list that has it', async () => {
    const values = Array.from({ length: 50 }, (_, index) => `v${index}`);
    render(<FormPage schema={one({ type: ['string', 'null'], enum: [...values, null] })} />);
    const user = userEvent.setup();
    await user.type(at('/it'), 'nul');
    await user.keyboard('{Enter}');
    expect(tried).toEqual({ payload: { it: null }, unsendable: {} });
  });

  it('is absent for a tuple whose only item is cleared', async () => {
    const user = userEvent.setup();
    render(<FormPage schema={one({ type: 'array', prefixItems: [{ type: 'string' }, { type: 'string' }] })} />);
    await user.type(at('/it/1'), 'b');
    expect(tried.payload).toEqual({ it: ['', 'b'] });
    await user.clear(at('/it/1'));
    expect(tried.payload).toEqual({});
  });
});
