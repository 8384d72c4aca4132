import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, describe, expect, it } from 'vitest';
import { at, FormPage, tried } from './form-for-tests.tsx';

afterEach(cleanup);

const properties = (more: Record<string, unknown>, required: string[] = []) => ({ type: 'object', properties: more, required });

describe('ToolForm', () => {
  it('shows a list or map of thousands without a field for each entry', () => {
    const schema = properties({
      list: { type: 'array', items: { type: 'string' } },
      map: { type: 'object', additionalProperties: { type: 'string' } },
    });
    const list = Array.from({ length: 3_000 }, (_, index) => `item ${index}`);
    const map = Object.fromEntries(list.map((name) => [name, name]));
    render(<FormPage schema={schema} first={{ list, map }} />);
    expect(at('/list').tagName).toBe('TEXTAREA');
    expect(screen.getByText(/^These are 3,000 items, too many for fields/)).toBeTruthy();
    expect(document.querySelectorAll('input[aria-label^="Name of "]')).toHaveLength(200);
    expect(screen.getByText('2,800 more are in the JSON.')).toBeTruthy();
    expect(tried.payload).toEqual({ list, map });
  });

  it('does not label invalid input as "not sent"', () => {
    const schema = properties({ size: { type: 'integer' }, count: { type: 'integer' } });
    render(<FormPage schema={schema} issues={[{ path: '/size', message: 'Enter a whole number.' }]} />);
    expect(screen.getAllByText(/^(?:not|cannot be) sent$/).map((word) => word.textContent)).toEqual(['cannot be sent', 'not sent']);
  });

  it('sends no untouched fields or defaults', () => {
    render(
      <FormPage
        schema={properties({
          city: { type: 'string', default: 'Lisbon' },
          days: { type: 'integer', default: 3 },
          units: { enum: ['a', 'b'], default: 'a' },
          alerts: { type: 'boolean', default: true },
          deep: { type: 'object', properties: { x: { type: 'string', default: 'y' } } },
          list: { type: 'array', items: { type: 'string' }, minItems: 2 },
        })}
      />,
    );
    expect(tried.payload).toEqual({});
    expect(at('/city')).toHaveProperty('placeholder', 'default: Lisbon');
  });

  it('sends typed values with their type, and nothing once cleared', async () => {
    const user = userEvent.setup();
    render(<FormPage schema={properties({ city: { type: 'string' }, days: { type: 'integer' } })} />);
    await user.type(at('/city'), 'Rome');
    await user.type(at('/days'), '12');
    expect(tried.payload).toEqual({ city: 'Rome', days: 12 });
    await user.clear(at('/city'));
    await user.clear(at('/days'));
    expect(tried.payload).toEqual({});
  });

  it('keeps invalid number text visible and sends nothing', async () => {
    const user = userEvent.setup();
    render(<FormPage schema={properties({ days: { type: 'number' } })} />);
    await user.type(at('/days'), '1e');
    expect(at('/days')).toHaveProperty('value', '1e');
    expect(tried.payload).toEqual({});
    await user.type(at('/days'), '2');
    expect(tried.payload).toEqual({ days: 100 });
  });

  it('offers null and empty text as choices if they cannot be typed', async () => {
    const user = userEvent.setup();
    render(<FormPage schema={properties({ note: { type: ['string', 'null'] } })} />);
    await user.click(screen.getByRole('button', { name: 'How note is sent: not sent' }));
    await user.click(await screen.findByRole('menuitem', { name: 'Send null' }));
    expect(tried.payload).toEqual({ note: null });
    await user.click(screen.getByRole('button', { name: 'How note is sent: null' }));
    await user.click(await screen.findByRole('menuitem', { name: 'Send empty text' }));
    expect(tried.payload).toEqual({ note: '' });
    await user.click(screen.getByRole('button', { name: 'How note is sent: empty text' }));
    await user.click(await screen.findByRole('menuitem', { name: 'Do not send' }));
    expect(tried.payload).toEqual({});
  });

  it('has three options for an optional boolean, two for a required one', async () => {
    const user = userEvent.setup();
    render(<FormPage schema={properties({ fast: { type: 'boolean' }, sure: { type: 'boolean' } }, ['sure'])} />);
    await user.click(screen.getAllByRole('radio', { name: 'false' })[0]!);
    expect(tried.payload).toEqual({ fast: false });
    await user.click(screen.getByRole('radio', { name: 'not sent' }));
    expect(tried.payload).toEqual({});
    expect(at('/sure').querySelectorAll('input')).toHaveLength(2);
  });

  it('adds, fills, moves and removes items', async () => {
    const user = userEvent.setup();
    render(
      <FormPage schema={properties({ stops: { type: 'array', items: { type: 'object', properties: { name: { type: 'string' } } } } })} />,
    );
    await user.click(screen.getByRole('button', { name: 'Add an item to stops' }));
    await user.type(at('/stops/0/name'), 'a');
    await user.click(screen.getByRole('button', { name: 'Add an item to stops' }));
    await user.type(at('/stops/1/name'), 'b');
    expect(tried.payload).toEqual({ stops: [{ name: 'a' }, { name: 'b' }] });
    await user.click(screen.getByRole('button', { name: 'Move item 2 up' }));
    expect(tried.payload).toEqual({ stops: [{ name: 'b' }, { name: 'a' }] });
    await user.click(screen.getByRole('button', { name: 'Remove item 1' }));
    expect(tried.payload).toEqual({ stops: [{ name: 'a' }] });
  });

  it('accepts typing right after an item or name was added', () => {
    const bag = { type: 'array', items: { type: 'string' } };
    const labels = { type: 'object', additionalProperties: { type: 'string' } };
    render(<FormPage schema={properties({ bag, labels })} />);
    fireEvent.click(screen.getByRole('button', { name: 'Add an item to bag' }));
    expect(document.activeElement).toBe(at('/bag/0'));
    fireEvent.click(screen.getByRole('button', { name: 'Add a name to labels' }));
    expect(document.activeElement).toBe(screen.getByRole('textbox', { name: 'Name of name' }));
  });

  it('keeps the names and values of a map', async () => {
    const user = userEvent.setup();
    render(<FormPage schema={properties({ labels: { type: 'object', additionalProperties: { type: 'string' } } })} />);
    await user.click(screen.getByRole('button', { name: 'Add a name to labels' }));
    await user.type(at('/labels/name'), 'x');
    const name = screen.getByRole('textbox', { name: 'Name of name' });
    await user.clear(name);
    await user.type(name, 'team');
    await user.tab();
    expect(tried.payload).toEqual({ labels: { team: 'x' } });
    await user.clear(at('/labels/team'));
    expect(tried.payload).toEqual({ labels: { team: '' } });
  });

  it('shows the fields of the chosen union option', async () => {
    const user = userEvent.setup();
    const shape = {
      oneOf: [
        { title: 'Circle', type: 'object', required: ['kind'], properties: { kind: { const: 'circle' }, radius: { type: 'number' } } },
        { title: 'Name', type: 'string' },
      ],
    };
    render(<FormPage schema={properties({ shape })} />);
    await user.selectOptions(screen.getByRole('combobox', { name: 'Form of shape' }), 'Circle');
    await user.type(at('/shape/radius'), '2');
    expect(tried.payload).toEqual({ shape: { kind: 'circle', radius: 2 } });
    await user.selectOptions(screen.getByRole('combobox', { name: 'Form of shape' }), 'Name');
    await user.type(at('/shape'), 'dot');
    expect(tried.payload).toEqual({ shape: 'dot' });
  });

  it('edits unsupported schemas as JSON, with a reason', () => {
    render(<FormPage schema={properties({ any: {}, days: { type: 'integer' } })} first={{ days: 'soon' }} />);
    expect(screen.getByText(/Any JSON value is accepted/)).toBeDefined();
    expect(at('/days')).toHaveProperty('value', '"soon"');
    fireEvent.change(at('/any'), { target: { value: '{"a": [1]}' } });
    expect(tried.payload).toEqual({ days: 'soon', any: { a: [1] } });
    fireEvent.change(at('/any'), { target: { value: '{"a": ' } });
    expect(at('/any')).toHaveProperty('value', '{"a": ');
    expect(tried.payload).toEqual({ days: 'soon', any: { a: [1] } });
  });

  it('keeps values without a field, and can remove them', async () => {
    const user = userEvent.setup();
    render(<FormPage schema={properties({ city: { type: 'string' } })} first={{ old: { a: 1 } }} />);
    await user.type(at('/city'), 'x');
    expect(tried.payload).toEqual({ old: { a: 1 }, city: 'x' });
    await user.click(screen.getByRole('button', { name: 'Remove old' }));
    expect(tried.payload).toEqual({ city: 'x' });
  });

  it('ties labels, descriptions and errors to the control', () => {
    render(
      <FormPage
        schema={properties({ city: { type: 'string', description: 'Where to look.', minLength: 2 } }, ['city'])}
        issues={[{ path: '/city', message: 'Enter some text.' }]}
      />,
    );
    const city = screen.getByRole('textbox', { name: 'city (required)' });
    expect(city.getAttribute('aria-invalid')).toBe('true');
    const words = (city.getAttribute('aria-describedby') ?? '')
      .split(' ')
      .map((id) => document.getElementById(id)?.textContent)
      .join(' ');
    expect(words).toContain('Where to look.');
    expect(words).toContain('Enter some text.');
  });
});
