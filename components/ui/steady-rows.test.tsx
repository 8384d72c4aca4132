import { cleanup, render, renderHook, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useMemo, useState } from 'react';
import { afterEach, describe, expect, it } from 'vitest';
import { useHand, useSteadyRows } from './steady-rows.tsx';

afterEach(cleanup);

interface Given {
  readonly ids: string;
  readonly steady: boolean;
  readonly list?: string;
  readonly keepsGone?: boolean;
  readonly note?: string;
  readonly isAboveRows?: boolean;
}

function start(first: Given) {
  return renderHook(
    ({ ids, steady, list = 'all', keepsGone = false, note = '', isAboveRows = false }: Given) =>
      useSteadyRows(
        ids.split('').map((id) => ({ id, note })),
        { list, hand: { isIn: steady, lookAgain: () => undefined }, keepsGone, isAboveRows },
      ),
    { initialProps: first },
  );
}

const shown = ({ current }: { current: ReturnType<typeof useSteadyRows<{ id: string; note: string }>> }) =>
  `${current.rows.map(({ id }) => id).join('')} ${current.waiting}`;

describe('the rows of a list', () => {
  it('update immediately without a pointer', () => {
    const { result, rerender } = start({ ids: 'cba', steady: false });
    rerender({ ids: 'dcba', steady: false });
    expect(shown(result)).toBe('dcba 0');
  });

  it('stay in place under a pointer, and new ones are held back', () => {
    const { result, rerender } = start({ ids: 'cba', steady: false });
    rerender({ ids: 'cba', steady: true });
    rerender({ ids: 'edcba', steady: true });
    expect(shown(result)).toBe('cba 2');
    rerender({ ids: 'edcba', steady: false });
    expect(shown(result)).toBe('edcba 0');
  });

  it('stay in place if new ones arrive together with the pointer', () => {
    const { result, rerender } = start({ ids: 'cba', steady: false });
    rerender({ ids: 'dcba', steady: true });
    expect(shown(result)).toBe('cba 1');
  });

  it('stay in place if one moves up or a new one is inserted between them', () => {
    const { result, rerender } = start({ ids: 'cba', steady: true });
    rerender({ ids: 'acxb', steady: true });
    expect(shown(result)).toBe('cba 1');
  });

  it('update in place', () => {
    const { result, rerender } = start({ ids: 'ba', steady: true, note: 'running' });
    rerender({ ids: 'cba', steady: true, note: 'done' });
    expect(result.current.rows).toEqual([
      { id: 'b', note: 'done' },
      { id: 'a', note: 'done' },
    ]);
  });

  it('append older ones', () => {
    const { result, rerender } = start({ ids: 'fed', steady: true });
    rerender({ ids: 'gfedcba', steady: true });
    expect(shown(result)).toBe('fedcba 1');
  });

  it('disappear when they are removed, or stay until the pointer leaves', () => {
    const one = start({ ids: 'cba', steady: true });
    one.rerender({ ids: 'ca', steady: true });
    expect(shown(one.result)).toBe('ca 0');
    const other = start({ ids: 'cba', steady: true, keepsGone: true });
    other.rerender({ ids: 'dca', steady: true, keepsGone: true });
    expect(shown(other.result)).toBe('cba 1');
    other.rerender({ ids: 'dca', steady: false, keepsGone: true });
    expect(shown(other.result)).toBe('dca 0');
  });

  it('change immediately with the list, and if the list was empty', () => {
    const { result, rerender } = start({ ids: 'cba', steady: true });
    rerender({ ids: 'zyx', steady: true, list: 'failed' });
    expect(shown(result)).toBe('zyx 0');
    rerender({ ids: '', steady: true, list: 'none' });
    rerender({ ids: 'q', steady: true, list: 'none' });
    expect(shown(result)).toBe('q 0');
  });

  it('are held back also in an empty list above other rows', () => {
    const { result, rerender } = start({ ids: '', steady: true, isAboveRows: true });
    rerender({ ids: 'ba', steady: true, isAboveRows: true });
    expect(shown(result)).toBe(' 2');
    rerender({ ids: 'ba', steady: true });
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

/** Each row takes itself away. */
function List() {
  const [ids, setIds] = useState(['a', 'b']);
  const { hand, props } = useHand();
  const all = useMemo(() => ids.map((id) => ({ id })), [ids]);
  const { rows } = useSteadyRows(all, { list: '', hand });
  return (
    <>
      <p role="status">{hand.isIn ? 'held' : 'free'}</p>
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
