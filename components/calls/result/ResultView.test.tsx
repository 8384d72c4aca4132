import { cleanup, render, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test, vi } from 'vitest';

afterEach(cleanup);

// The module stores the view that was chosen last, so this file starts with a fresh one.
vi.resetModules();
const { ResultView } = await import('./ResultView.tsx');

function show(value: unknown) {
  return render(<ResultView value={value} label="Result" copyLabel="Copy the result" fileParts={['tool']} />);
}

function copies(): string[] {
  const copied: string[] = [];
  vi.spyOn(navigator.clipboard, 'writeText').mockImplementation((text) => {
    copied.push(text);
    return Promise.resolve();
  });
  return copied;
}

const rowsNow = () => screen.getAllByRole('treeitem').map((row) => row.textContent);

test('a tree is navigated and folded with the keyboard', async () => {
  show({ city: 'Oslo', days: [1, { rain: true }] });
  const user = userEvent.setup();
  const copied = copies();
  expect(rowsNow()).toEqual(['{ 2 properties', '"city": "Oslo"', '"days": [ 2 items', '0: 1', '1: { 1 property', '"rain": true']);
  screen.getByRole('tree').focus();
  await user.keyboard('{End}');
  expect(screen.getByRole('treeitem', { selected: true }).textContent).toBe('"rain": true');
  await user.keyboard('{ArrowLeft}{ArrowLeft}');
  expect(screen.getByRole('treeitem', { selected: true }).getAttribute('aria-expanded')).toBe('false');
  expect(rowsNow()).toHaveLength(5);
  await user.click(screen.getByRole('button', { name: 'Copy path' }));
  await user.click(screen.getByRole('button', { name: 'Copy value' }));
  expect(copied).toEqual(['/days/1', '{\n  "rain": true\n}']);
  screen.getByRole('tree').focus();
  await user.keyboard('{ArrowUp}{Control>}c{/Control}');
  expect(copied.at(-1)).toBe('1');
});

test('an empty text has a label', () => {
  show('');
  expect(screen.getByRole('region', { name: 'Result as text' }).textContent).toBe('Empty text');
});

test('content marked as an error is shown as one', () => {
  const content = [{ type: 'text', text: 'The quota is used up.' }];
  const { rerender } = show({ content, isError: true });
  expect(screen.getByRole('note').textContent).toContain('Marked as an error');
  rerender(<ResultView value={{ content }} label="Result" copyLabel="Copy the result" fileParts={['tool']} />);
  expect(screen.queryByRole('note')).toBeNull();
});

test('the search opens matches and moves between them', async () => {
  const user = userEvent.setup();
  show({ list: Array.from({ length: 300 }, (_, at) => ({ name: at === 270 ? 'needle' : 'hay' })), needle: 1 });
  await user.type(screen.getByRole('textbox', { name: 'Search in Result as a tree' }), 'NEEDLE');
  expect((await screen.findByText('2 found')).getAttribute('role')).toBe('status');
  await user.keyboard('{Enter}');
  expect(screen.getByRole('treeitem', { selected: true }).textContent).toBe('"name": "needle"');
  expect(screen.getByText('/list/270/name')).toBeTruthy();
  await user.keyboard('{Enter}');
  expect(screen.getByRole('treeitem', { selected: true }).textContent).toBe('"needle": 1');
  expect(screen.getByText('2 of 2')).toBeTruthy();
});

test('a short tree has no search', () => {
  const { unmount } = show({ city: 'Oslo', days: Array.from({ length: 17 }, () => 1) });
  expect(screen.getAllByRole('treeitem')).toHaveLength(20);
  expect(screen.queryByRole('textbox')).toBeNull();
  unmount();
  show({ city: 'Oslo', days: Array.from({ length: 18 }, () => 1) });
  expect(screen.getByRole('textbox', { name: 'Search in Result as a tree' })).toBeTruthy();
});

test('a table is sorted by a column, and copied in that order', async () => {
  const user = userEvent.setup();
  const copied = copies();
  show([
    { name: '=b', rain: 10 },
    { name: 'a', rain: 9 },
  ]);
  const table = screen.getByRole('table');
  await user.click(within(table).getByRole('button', { name: 'rain' }));
  expect(within(table).getByRole('columnheader', { name: 'rain' }).getAttribute('aria-sort')).toBe('ascending');
  expect(
    within(table)
      .getAllByRole('row')
      .map((row) => row.textContent),
  ).toEqual(['namerain', 'a9', '=b10']);
  await user.click(screen.getByRole('button', { name: 'Copy as CSV' }));
  expect(copied).toEqual(["name,rain\r\na,9\r\n'=b,10\r\n"]);
  await user.click(screen.getByRole('button', { name: 'Tree' }));
  expect(screen.getByRole('tree')).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Table' }));
});

test('a column sorts numerically and naturally, empty values last, in both directions', async () => {
  const user = userEvent.setup();
  show([{ v: 'b10' }, { v: 2 }, { v: null }, { v: 'b9' }, { w: 1 }, { v: 10 }]);
  const table = screen.getByRole('table');
  const shown = () =>
    within(table)
      .getAllByRole('row')
      .slice(1)
      .map((row) => row.textContent);
  const press = () => user.click(within(table).getByRole('button', { name: 'v' }));
  await press();
  expect(shown()).toEqual(['2', '10', 'b9', 'b10', 'null', '1']);
  await press();
  expect(shown()).toEqual(['b10', 'b9', '10', '2', 'null', '1']);
  await press();
  expect(shown()).toEqual(['b10', '2', 'null', 'b9', '1', '10']);
});

test('MCP content is rendered by block, and unsafe blocks stay text', () => {
  const { container } = show({
    content: [
      { type: 'image', data: btoa('<svg onload="alert(1)"/>'), mimeType: 'image/svg+xml' },
      { type: 'image', data: btoa('GIF89a...'), mimeType: 'image/gif' },
      { type: 'resource_link', uri: 'javascript:alert(1)', name: 'evil' },
      { type: 'resource_link', uri: 'https://example.org/a', name: 'good' },
    ],
  });
  expect([...container.querySelectorAll('img')].map((picture) => picture.src)).toEqual([`data:image/gif;base64,${btoa('GIF89a...')}`]);
  expect(screen.getAllByRole('link').map((link) => link.textContent)).toEqual(['Open example.org']);
  expect(screen.getByText('javascript:alert(1)')).toBeTruthy();
});

test('text keeps line breaks and colors, and shows bidirectional characters', async () => {
  const user = userEvent.setup();
  show('\u001b[31mred\u001b[0m\nleft \u202e right <b>');
  const text = screen.getByRole('region', { name: 'Result as text' });
  expect(text.textContent).toBe('red\nleft ⟨U+202E⟩ right <b>');
  expect(within(text).getByText('red').className).toBe('text-failed');
  const wrap = screen.getByRole('button', { name: 'Wrap lines' });
  expect(wrap.getAttribute('aria-pressed')).toBe('true');
  await user.click(wrap);
  expect(text.classList.contains('foreign')).toBe(false);
});

test('a long text is truncated until it is expanded', async () => {
  const user = userEvent.setup();
  show('x'.repeat(100_000));
  const text = screen.getByRole('region', { name: 'Result as text' });
  expect(text.textContent).toHaveLength(60_000);
  await user.click(screen.getByRole('button', { name: 'Show more' }));
  expect(text.textContent).toHaveLength(100_000);
});

test('structured content with a list is also shown as a table', async () => {
  const user = userEvent.setup();
  const structuredContent = { tables: [{ room: 7 }, { room: 8 }], total: 2 };
  show({ content: [{ type: 'text', text: 'Two tables.' }], structuredContent });
  expect(screen.queryByRole('table')).toBeNull();
  await user.click(within(screen.getByRole('group', { name: 'How Structured content is shown' })).getByRole('button', { name: 'Table' }));
  expect(within(screen.getByRole('table')).getAllByRole('row')).toHaveLength(3);
  expect(screen.getByText(/The list at/).textContent).toBe('The list at tables; the rest of the value is in the tree.');
});
