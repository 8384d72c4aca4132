import { cleanup, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, describe, expect, it } from 'vitest';
import { FormPage, at, tried } from './form-for-tests.tsx';

afterEach(cleanup);

const wrong = (path: string) => [{ path, message: 'This is wrong.' }];
const properties = (more: Record<string, unknown>) => ({ type: 'object', properties: more });

describe('a validation error', () => {
  it.each([
    ['the arguments', properties({ a: {} }), {}, ''],
    ['arguments with any names', { type: 'object', additionalProperties: { type: 'string' } }, {}, ''],
    ['a list in a list', properties({ it: { type: 'array', items: { type: 'array', items: {} } } }), { it: [[]] }, '/it/0'],
    ['an object in a map', properties({ it: { additionalProperties: { properties: { x: {} } } } }), { it: { a: {} } }, '/it/a'],
    ['a text that may be a list', properties({ it: { oneOf: [{ type: 'string' }, { type: 'array', items: {} }] } }), { it: 'x' }, '/it'],
    [
      'an object with several options',
      { type: 'object', anyOf: [{ properties: { a: {} }, required: ['a'] }, { properties: { b: {} } }] },
      {},
      '',
    ],
    ['a value edited as JSON', properties({ it: {} }), { it: { x: 1 } }, '/it/x'],
  ])('for %s is shown once, at a control that can get the focus', (_, schema, first, path) => {
    render(<FormPage schema={schema} first={first} issues={wrong(path)} />);
    expect(screen.getAllByText(/This is wrong\./)).toHaveLength(1);
    expect(at(path === '/it/x' ? '/it' : path)).toBeDefined();
  });

  it('inside an open choice is replaced by one message that asks for the choice', () => {
    const mail = { title: 'By mail', properties: { to: {} }, required: ['to'] };
    const phone = { title: 'By phone', properties: { number: {} }, required: ['number'] };
    render(<FormPage schema={{ type: 'object', oneOf: [mail, phone] }} issues={[...wrong('/to'), ...wrong('/number')]} />);
    expect(screen.getAllByText(/Choose a form first: By mail, By phone\.|This is wrong\./)).toHaveLength(1);
    expect(at('')).toBe(screen.getByRole('combobox', { name: 'Form of the arguments' }));
  });

  it('stays visible during a search for another field', async () => {
    const names = Array.from({ length: 20 }, (_, index) => [`p${index}`, { type: 'string' }]);
    render(<FormPage schema={properties(Object.fromEntries(names))} issues={wrong('/p7')} />);
    await userEvent.setup().type(screen.getByRole('textbox', { name: 'Find a field' }), 'p12');
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
    ['several options', { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }], default: ['x'] }, ['x']],
    ['a list', { type: 'array', items: { type: 'string' }, default: ['x', 'y'] }, ['x', 'y']],
  ])('of %s is shown and can be filled in', async (_, it, value) => {
    render(<FormPage schema={one(it)} />);
    expect(screen.getByText(`Default: ${JSON.stringify(value)}`)).toBeDefined();
    expect(tried.payload).toEqual({});
    await choose(/^Fill in the default/);
    expect(tried.payload).toEqual({ it: value });
  });

  it('of a list of options is shown by its title', () => {
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

describe('descriptions in the schema', () => {
  it('are shown for items, map values and union options', async () => {
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

describe('the sent value', () => {
  it.each([
    ['Text', '', 'empty text'],
    ['A', {}, 'empty object'],
  ])('is labeled as empty as soon as an option is chosen (%s)', async (title, value, word) => {
    const forms = [{ type: 'string' }, { title: 'A', type: 'object', properties: { a: { type: 'string' } } }];
    render(<FormPage schema={one({ anyOf: forms })} />);
    await userEvent.setup().selectOptions(screen.getByRole('combobox', { name: 'Form of it' }), title);
    expect(tried.payload).toEqual({ it: value });
    expect(screen.getByText(word)).toBeDefined();
  });

  it.each([
    ['a nullable field shows it in its control', { type: ['boolean', 'null'] }, 1],
    ['another field shows it beside its name', { type: 'boolean' }, 1],
    ['a list of options shows it once', { enum: ['a', null] }, 1],
  ])('is null: %s', (_, it, times) => {
    render(<FormPage schema={one(it)} first={{ it: null }} />);
    expect(screen.getAllByText('null', { ignore: 'textarea' })).toHaveLength(times);
  });

  it('can be null if a long list of options includes it', async () => {
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
