import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, describe, expect, it } from 'vitest';
import { CodeInText, CodeText, LongText } from './CodeText.tsx';

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

afterEach(cleanup);

const shown = (text: string) => render(<CodeInText text={text} />).container.innerHTML.replaceAll(/ class="[^"]*"/g, '');

describe('foreign text', () => {
  it('is shown as code between backticks', () => {
    expect(shown('As `date` says, or `a b`.')).toBe('As <code>date</code> says, or <code>a b</code>.');
  });

  it.each(['one ` alone', '``', 'a ` over\ntwo ` lines', '**not** [read](http://x)'])('is otherwise unchanged: %j', (text) => {
    expect(shown(text)).toBe(text);
  });

  it('stays text inside code, too', () => {
    expect(shown('`<img src=x>`')).toBe('<code>&lt;img src=x&gt;</code>');
  });
});

afterEach(cleanup);

it('truncates long text, and shows all of it on request', () => {
  render(<LongText text={`${'word '.repeat(200)}the \`end\``} />);
  expect(screen.queryByText('end')).toBeNull();
  fireEvent.click(screen.getByRole('button', { name: 'More' }));
  expect(screen.getByText('end').tagName).toBe('CODE');
  fireEvent.click(screen.getByRole('button', { name: 'Less' }));
  expect(screen.queryByText('end')).toBeNull();
});

it('has no button for short text', () => {
  render(<LongText text="Adds two numbers." />);
  expect(screen.queryByRole('button')).toBeNull();
});
