import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { Markdown } from './Markdown.tsx';

afterEach(cleanup);

test('renders Markdown', () => {
  const { container } = render(<Markdown text={'It is **the** `units` helper:\n\n1. one\n2. two\n\n> quoted\n\n```\ncode\n```'} />);
  expect(container.querySelector('strong')?.textContent).toBe('the');
  expect(container.querySelectorAll('li')).toHaveLength(2);
  expect(container.querySelector('blockquote')?.textContent).toBe('quoted');
  expect(screen.getByRole('region', { name: 'Code' }).textContent).toBe('code');
});

test('renders task lists', () => {
  const { container } = render(<Markdown text={'- [ ] later\n- [x] now\n- other'} />);
  expect(screen.getAllByRole('img').map((mark) => mark.getAttribute('aria-label'))).toEqual(['to do', 'done']);
  expect([...container.querySelectorAll('li')].map((item) => item.textContent)).toEqual(['☐ later', '☑ now', 'other']);
  expect([...container.querySelectorAll('li')].map((item) => item.className !== '')).toEqual([true, true, false]);
});

test('aligns the columns of a table as declared', () => {
  const { container } = render(<Markdown text={'| a | b | c |\n| :-: | --: | - |\n| 1 | 2 | 3 |'} />);
  const alignments = [...container.querySelectorAll('td')].map((cell) => /text-(center|right)/.exec(cell.className)?.[1] ?? null);
  expect(alignments).toEqual(['center', 'right', null]);
});

test('links only to the web, without access to the page', () => {
  render(
    <Markdown
      text={'[good](https://example.org/a) https://example.org/b [bad](javascript:alert(1)) [data](data:text/html,x) [own](/calls)'}
    />,
  );
  const links = screen.getAllByRole('link');
  expect(links.map((link) => link.getAttribute('href'))).toEqual(['https://example.org/a', 'https://example.org/b']);
  for (const link of links) expect(link.getAttribute('rel')).toBe('noopener noreferrer nofollow');
  expect(screen.getByText(/bad/)).toBeTruthy();
});

test('shows HTML as text and loads no images', () => {
  const { container } = render(
    <Markdown text={'<img src=x onerror=alert(1)>\n\n<script>alert(2)</script>\n\nin <b>line</b> ![cat](https://example.org/cat.png)'} />,
  );
  expect(container.querySelectorAll('img, script, b')).toHaveLength(0);
  expect(container.textContent).toContain('<img src=x onerror=alert(1)>');
  expect(container.textContent).toContain('in <b>line</b>');
  expect(screen.getByRole('link', { name: 'cat' }).getAttribute('href')).toBe('https://example.org/cat.png');
});

test('keeps every word of deeply nested text', () => {
  const { container } = render(<Markdown text={`${'>'.repeat(4_000)} deep`} />);
  expect(container.textContent).toContain('deep');
});

test('renders tables with safe cells', () => {
  const { container } = render(<Markdown text={'| a | b |\n| - | - |\n| <i>1</i> | [x](javascript:alert(1)) |'} />);
  expect([...container.querySelectorAll('th')].map((cell) => cell.textContent)).toEqual(['a', 'b']);
  expect(container.querySelector('td')?.textContent).toBe('<i>1</i>');
  expect(container.querySelectorAll('i, a')).toHaveLength(0);
});

test('renders plain words with the given function, but not code and links', () => {
  const text = 'A **b** `code` [link](https://example.org/) <i>HTML</i>\n\n- item';
  const { container } = render(<Markdown text={text} drawWords={(words) => <mark>{words}</mark>} />);
  expect([...container.querySelectorAll('mark')].map((mark) => mark.textContent)).toEqual(['A ', 'b', ' ', ' ', ' ', 'HTML', 'item']);
  expect(container.textContent).toContain('<i>HTML</i>');
  expect(container.querySelectorAll('code mark, a mark, i')).toHaveLength(0);
});
