import { cleanup, render, screen } from '@testing-library/react';
import type { ReactNode } from 'react';
import { afterEach, expect, test } from 'vitest';

afterEach(cleanup);

const EVIL = 'invoice\u202efdp.exe';
const SHOWN = 'invoice⟨U+202E⟩fdp.exe';

function Frame({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section aria-label={title}>
      {title}: {children}
    </section>
  );
}

test('shows every invisible character in any position', () => {
  const { container } = render(
    <Frame title={EVIL}>
      {EVIL}
      <b title={EVIL}>{EVIL}</b>
      {[EVIL, <i key="i">{EVIL}</i>]}
      <input type="image" alt={EVIL} />
      {null}
      {7}
    </Frame>,
  );
  expect(container.textContent).toBe(`${SHOWN}: ${SHOWN.repeat(4)}7`);
  expect(screen.getByRole('region', { name: SHOWN })).toBeTruthy();
  expect(screen.getByTitle(SHOWN)).toBeTruthy();
  expect(screen.getByAltText(SHOWN)).toBeTruthy();
});

test('does not change the values of fields', () => {
  render(
    <>
      <input aria-label="name" defaultValue={EVIL} placeholder={EVIL} />
      <select aria-label="choice" defaultValue={EVIL}>
        <option value={EVIL}>{EVIL}</option>
      </select>
    </>,
  );
  expect(screen.getByLabelText<HTMLInputElement>('name').value).toBe(EVIL);
  expect(screen.getByPlaceholderText(SHOWN)).toBeTruthy();
  expect(screen.getByLabelText<HTMLSelectElement>('choice').value).toBe(EVIL);
  expect(screen.getByRole('option').textContent).toBe(SHOWN);
});
