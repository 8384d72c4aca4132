import { cleanup, render } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import { CodeText } from './CodeText.tsx';

afterEach(cleanup);

it('shows text in backticks as code, and markup as text', () => {
  const { container } = render(<CodeText text="Run `npm i <b>x</b>` and `save`." />);
  expect([...container.querySelectorAll('code')].map((code) => code.textContent)).toEqual(['npm i <b>x</b>', 'save']);
  expect(container.textContent).toBe('Run npm i <b>x</b> and save.');
});

it('leaves a single backtick alone', () => {
  const { container } = render(<CodeText text="Mind the ` key" />);
  expect(container.textContent).toBe('Mind the ` key');
});
