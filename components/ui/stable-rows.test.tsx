import { cleanup, render, renderHook, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useMemo, useState } from 'react';
import { afterEach, describe, expect, it } from 'vitest';
import { usePointerInside, useStableRows } from './stable-rows.tsx';

afterEach(cleanup);

interface Given {
  readonly ids: string;
  readonly isInside: boolean;
  readonly list?: string;
  readonly keepsRemoved?: boolean;
  readonly note?: string;
  readonly isAboveRows?: boolean;
}

function start(first: Given) {
  return renderHook(
    ({ ids, isInside, list = 'all', keepsRemoved = false, note = '', isAboveRows = false }: Given) =>
      useStableRows(
        ids.split('').map((id) => ({ id, note })),
        { list, pointer: { isInside, recheckFocus: () => undefined }, keepsRemoved, isAboveRows },
      ),
    { initialProps: first },
  );
}

const shown = ({ current }: { current: ReturnType<typeof useStableRows<{ id: string; note: string }>> }) =>
  `${current.rows.map(({ id }) => id).join('')} ${current.waiting}`;

describe('the rows of a list', () => {
  it('update immediately without a pointer', () => {
    const { result, rerender } = start({ ids: 'cba', isInside: false });
    rerender({ ids: 'dcba', isInside: false });
    expect(shown(result)).toBe('dcba 0');
  });

  it('stay in place under a pointer, and new ones are held back', () => {
    const { result, rerender } = start({ ids: 'cba', isInside: false });
    rerender({ ids: 'cba', isInside: true });
    rerender({ ids: 'edcba', isInside: true });
    expect(shown(result)).toBe('cba 2');
    rerender({ ids: 'edcba', isInside: false });
    expect(shown(result)).toBe('edcba 0');
  });

  it('stay in place if new ones arrive together with the pointer', () => {
    const { result, rerender } = start({ ids: 'cba', isInside: false });
    rerender({ ids: 'dcba', isInside: true });
    expect(shown(result)).toBe('cba 1');
  });

  it('stay in place if one moves up or a new one is inserted between them', () => {
    const { result, rerender } = start({ ids: 'cba', isInside: true });
    rerender({ ids: 'acxb', isInside: true });
    expect(shown(result)).toBe('cba 1');
  });

  it('update in place', () => {
    const { result, rerender } = start({ ids: 'ba', isInside: true, note: 'running' });
    rerender({ ids: 'cba', isInside: true, note: 'done' });
    expect(result.current.rows).toEqual([
      { id: 'b', note: 'done' },
      { id: 'a', note: 'done' },
    ]);
  });

  it('append older ones', () => {
    const { result, rerender } = start({ ids: 'fed', isInside: true });
    rerender({ ids: 'gfedcba', isInside: true });
    expect(shown(result)).toBe('fedcba 1');
  });

  it('disappear when they are removed, or stay until the pointer leaves', () => {
    const one = start({ ids: 'cba', isInside: true });
    one.rerender({ ids: 'ca', isInside: true });
    expect(shown(one.result)).toBe('ca 0');
    const other = start({ ids: 'cba', isInside: true, keepsRemoved: true });
    other.rerender({ ids: 'dca', isInside: true, keepsRemoved: true });
    expect(shown(other.result)).toBe('cba 1');
    other.rerender({ ids: 'dca', isInside: false, keepsRemoved: true });
    expect(shown(other.result)).toBe('dca 0');
  });

  it('change immediately with the list, and if the list was empty', () => {
    const { result, rerender } = start({ ids: 'cba', isInside: true });
    rerender({ ids: 'zyx', isInside: true, list: 'failed' });
    expect(shown(result)).toBe('zyx 0');
    rerender({ ids: '', isInside: true, list: 'none' });
    rerender({ ids: 'q', isInside: true, list: 'none' });
    expect(shown(result)).toBe('q 0');
  });

  it('are held back also in an empty list above other rows', () => {
    const { result, rerender } = start({ ids: '', isInside: true, isAboveRows: true });
    rerender({ ids: 'ba', isInside: true, isAboveRows: true });
    expect(shown(result)).toBe(' 2');
    rerender({ ids: 'ba', isInside: true });
    expect(shown(result)).toBe('ba 0');
  });
});

it('holds a list only while the mouse or the focus is inside', async () => {
  const user = userEvent.setup();
  render(<List />);
  const state = screen.getByRole('status');
  const list = screen.getByRole('list');
  await user.hover(list);
  expect(state.textContent).toBe('held');
  await user.unhover(list);
  expect(state.textContent).toBe('free');
  await user.pointer([{ keys: '[TouchA]', target: list }]);
  expect(state.textContent).toBe('free');
  await user.tab();
  expect(document.activeElement?.textContent).toBe('a');
  expect(state.textContent).toBe('held');
  await user.tab();
  expect(state.textContent).toBe('held');
  await user.tab();
  expect(state.textContent).toBe('free');
  await user.tab({ shift: true });
  expect(document.activeElement?.textContent).toBe('b');
  await user.keyboard('{Enter}');
  expect(screen.queryByText('b')).toBeNull();
  expect(state.textContent).toBe('free');
});

/** Each row removes itself on click. */
function List() {
  const [ids, setIds] = useState(['a', 'b']);
  const { pointer, props } = usePointerInside();
  const all = useMemo(() => ids.map((id) => ({ id })), [ids]);
  const { rows } = useStableRows(all, { list: '', pointer });
  return (
    <>
      <p role="status">{pointer.isInside ? 'held' : 'free'}</p>
      <ul {...props}>
        {rows.map(({ id }) => (
          <li key={id}>
            <button type="button" onClick={() => setIds(ids.filter((each) => each !== id))}>
              {id}
            </button>
          </li>
        ))}
      </ul>
      <button type="button">elsewhere</button>
    </>
  );
}
