import { cleanup, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { afterEach, expect, it } from 'vitest';
import { planForm } from './form-plan.ts';
import type { Payload } from './payload.ts';
import { ToolForm } from './ToolForm.tsx';

afterEach(cleanup);

const SECRET = { writeOnly: true };
const HIDDEN = {
  choice: { enum: ['red-one', 'blue-one'], ...SECRET },
  choices: { type: 'array', items: { enum: ['red-one', 'blue-one'] }, ...SECRET },
  flag: { type: 'boolean', ...SECRET },
  day: { type: 'string', format: 'date', ...SECRET },
  list: { type: 'array', items: { type: 'string' }, ...SECRET },
  map: { type: 'object', additionalProperties: { type: 'string' }, properties: { n: { type: 'integer' } }, ...SECRET },
  any: { ...SECRET },
  either: { oneOf: [{ type: 'object', properties: { word: { type: 'string' } } }, { type: 'integer' }], ...SECRET },
  password: { type: 'string' },
  credentials: { type: 'object', properties: { user: { type: 'string' } } },
  private_key: { type: 'string', maxLength: 4_000 },
};
const FILLED = {
  choice: 'red-one',
  choices: ['blue-one'],
  flag: true,
  day: '2026-11-22',
  list: ['of-list'],
  map: { n: 77, further: 'of-map' },
  any: { word: 'of-any' },
  either: { word: 'of-either' },
  password: 'of-password',
  credentials: { user: 'of-user' },
  private_key: 'of-key',
};

function Page({ properties, first }: { properties: Record<string, unknown>; first: Payload }) {
  const [form] = useState(() => planForm({ type: 'object', properties }));
  const [payload, setPayload] = useState(first);
  const nothing = () => undefined;
  return (
    <ToolForm
      form={form}
      payload={payload}
      onChange={setPayload}
      issues={new Map()}
      disabled={false}
      onVisit={nothing}
      onTouch={nothing}
      onUnsendable={nothing}
      onUnchosen={nothing}
    />
  );
}

/** Text that is readable in unmasked controls. */
function legible(): string {
  const inputs = [...document.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>('input:not([type="password"]), textarea')];
  const chosen = [...document.querySelectorAll<HTMLInputElement>('input:checked')].map((input) => input.closest('label')?.textContent);
  const selected = [...document.querySelectorAll<HTMLSelectElement>('select')].map((select) => select.value);
  return [...inputs.map(({ value }) => value), ...chosen, ...selected].join(' ');
}

it('masks a secret in every control', () => {
  render(<Page properties={HIDDEN} first={FILLED} />);
  expect(legible()).not.toMatch(/red-one|blue-one|true|2026|of-|77/);
  expect(screen.getAllByDisplayValue('hidden')).toHaveLength(5);
});

it('reveals a secret on request, hides it again, and keeps the focus', async () => {
  const user = userEvent.setup();
  render(<Page properties={{ choice: HIDDEN.choice }} first={{ choice: 'red-one' }} />);
  await user.click(screen.getByRole('button', { name: 'Show choice' }));
  expect(screen.getByRole('combobox', { name: 'choice' })).toHaveProperty('value', 'red-one');
  expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Hide choice' }));
  await user.click(screen.getByRole('button', { name: 'Hide choice' }));
  expect(screen.queryByRole('combobox')).toBeNull();
});

it('does not mask a secret while it is typed', async () => {
  const user = userEvent.setup();
  render(<Page properties={{ choice: HIDDEN.choice }} first={{}} />);
  await user.selectOptions(screen.getByRole('combobox', { name: 'choice' }), 'blue-one');
  expect(screen.getByRole('combobox', { name: 'choice' })).toHaveProperty('value', 'blue-one');
});

it('does not mask values that are not secret despite their name', () => {
  const properties = { show_password: { type: 'boolean' }, tokens: { type: 'integer' }, next_page_token: { type: 'string' } };
  render(<Page properties={properties} first={{ show_password: true, tokens: 5, next_page_token: 'abc' }} />);
  expect(legible()).toMatch(/5.*abc.*true/);
});

it('reveals a masked number on request', async () => {
  const user = userEvent.setup();
  render(<Page properties={{ pin: { type: 'integer', ...SECRET } }} first={{ pin: 4711 }} />);
  expect(legible()).not.toContain('4711');
  await user.click(screen.getByRole('button', { name: 'Show the text' }));
  expect(legible()).toContain('4711');
  await user.click(screen.getByRole('button', { name: 'Hide the text' }));
  expect(legible()).not.toContain('4711');
});
