import { act, cleanup, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { focusNextRow, useVisibleRows } from './use-visible-rows.ts';

const HEIGHT = 50;
/** Larger than a row and its neighbours, and than the rows rendered ahead. */
const FAR = 300;

interface Item {
  readonly id: string;
}

interface ListProps {
  readonly count: number;
  readonly needed?: string;
  /** Each tenth row is a heading. */
  readonly grouped?: boolean;
}

function List({ count, needed, grouped = false }: ListProps) {
  const items: readonly Item[] = Array.from({ length: count }, (_item, index) => ({ id: `row ${index}` }));
  const { list, rows } = useVisibleRows<HTMLUListElement, Item>({
    name: `list of ${count}`,
    items,
    height: HEIGHT,
    needed: needed ?? null,
    ...(grouped ? { headingOf: (index: number) => index - (index % 10) } : {}),
  });
  return (
    <ul ref={list} data-testid="list">
      {rows.map((row) =>
        row.item === null ? (
          <li key={row.key} aria-hidden style={{ height: row.height }} />
        ) : (
          <li key={row.item.id} {...row.props}>
            <a href={`/${row.item.id}`}>{row.item.id}</a>
          </li>
        ),
      )}
    </ul>
  );
}

const list = () => screen.getByTestId('list');
const indexes = () => [...list().querySelectorAll<HTMLElement>('[data-index]')].map((row) => Number(row.dataset['index']));
const space = () =>
  [...list().querySelectorAll<HTMLElement>('li[aria-hidden]')].reduce((sum, row) => sum + Number.parseFloat(row.style.height), 0);
const totalHeight = () => indexes().length * HEIGHT + space();
const focused = () => document.activeElement?.textContent;

function scrollTo(row: number) {
  document.documentElement.scrollTop = row * HEIGHT;
  act(() => void window.dispatchEvent(new Event('scroll')));
}

async function showLong(props: ListProps) {
  render(<List {...props} />);
  await vi.waitFor(() => expect(indexes().length).toBeLessThan(40));
}

beforeEach(() => {
  document.documentElement.scrollTop = 0;
  vi.spyOn(Element.prototype, 'getBoundingClientRect').mockReturnValue(new DOMRect(0, 0, 100, HEIGHT));
  vi.spyOn(Element.prototype, 'getClientRects').mockReturnValue([new DOMRect()] as unknown as DOMRectList);
});
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

test('renders all rows of a short list', () => {
  render(<List count={100} />);
  expect([indexes().length, space()]).toEqual([100, 0]);
});

test('renders the rows near the window, and the space of all others', async () => {
  await showLong({ count: 1_000 });
  expect(indexes().slice(0, 10)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  const seen = new Set<number>();
  for (let row = 0; row < 1_000; row += 20) {
    scrollTo(row);
    expect(indexes().length).toBeLessThan(50);
    expect(totalHeight()).toBe(1_000 * HEIGHT);
    for (const index of indexes()) seen.add(index);
  }
  expect(seen.size).toBe(1_000);
});

test('the focused row is never removed, and the next one can be focused', async () => {
  await showLong({ count: 1_000 });
  act(() => screen.getByRole('link', { name: 'row 5' }).focus());
  scrollTo(FAR);
  expect(indexes()).toEqual(expect.arrayContaining([4, 5, 6, FAR]));
  expect(focused()).toBe('row 5');
  for (let step = 0; step < 30; step += 1) act(() => focusNextRow(list(), 1));
  expect(focused()).toBe('row 35');
  act(() => focusNextRow(list(), -1));
  expect(focused()).toBe('row 34');
});

test('always renders the first, the last and the needed row', async () => {
  await showLong({ count: 1_000, needed: 'row 700' });
  scrollTo(FAR);
  expect(indexes()).toEqual(expect.arrayContaining([0, 699, 700, 701, 999]));
});

test('renders the heading of each group with its rows', async () => {
  await showLong({ count: 1_000, grouped: true });
  scrollTo(FAR + 25);
  expect(indexes()).toContain(FAR + 10);
  expect(indexes().every((index) => indexes().includes(index - (index % 10)))).toBe(true);
});

test('renders the first rows and the needed one before the window is known', () => {
  vi.spyOn(Element.prototype, 'getClientRects').mockReturnValue([] as unknown as DOMRectList);
  render(<List count={1_000} needed="row 700" />);
  expect(indexes()).toEqual([
    ...Array.from({ length: 40 }, (_row, index) => index),
    ...Array.from({ length: 41 }, (_row, index) => 680 + index),
    998,
    999,
  ]);
  expect(totalHeight()).toBe(1_000 * HEIGHT);
});

test('renders all rows for printing', async () => {
  await showLong({ count: 1_000 });
  act(() => void window.dispatchEvent(new Event('beforeprint')));
  expect([indexes().length, space()]).toEqual([1_000, 0]);
  act(() => void window.dispatchEvent(new Event('afterprint')));
  expect(indexes().length).toBeLessThan(50);
});

test('follows a list that is filtered', async () => {
  const { rerender } = render(<List count={1_000} />);
  rerender(<List count={30} />);
  expect([indexes().length, space()]).toEqual([30, 0]);
  rerender(<List count={400} />);
  await vi.waitFor(() => expect(indexes().length).toBeLessThan(40));
  expect(totalHeight()).toBe(400 * HEIGHT);
});
