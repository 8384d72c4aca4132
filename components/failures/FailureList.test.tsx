import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import { foldByCause, useStableFocus } from './FailureList.tsx';
import { Sparkline } from './Sparkline.tsx';
import { groupFixture } from './group-for-tests.ts';

afterEach(cleanup);

function Line({ id }: { id: string }) {
  return (
    <li data-failure={id}>
      <a ref={useStableFocus(id)} href={`/failures/${id}`}>
        {id}
      </a>
    </li>
  );
}

function Lists({ open, acknowledged }: { open: readonly string[]; acknowledged: readonly string[] }) {
  return (
    <>
      <button type="button">Other</button>
      {[open, acknowledged].map((ids, at) => (
        // oxlint-disable-next-line react/no-array-index-key -- the two lists never move
        <ol key={at}>
          {ids.map((id) => (
            <Line key={id} id={id} />
          ))}
        </ol>
      ))}
    </>
  );
}

it('keeps the focus on a row that moves to another list', () => {
  const { rerender } = render(<Lists open={['a', 'b']} acknowledged={[]} />);
  screen.getByRole('link', { name: 'a' }).focus();
  rerender(<Lists open={['b']} acknowledged={[]} />);
  rerender(<Lists open={['b']} acknowledged={['a']} />);
  expect(document.activeElement).toBe(screen.getByRole('link', { name: 'a' }));
});

it('keeps the focus also while the row is in both lists', () => {
  const { rerender } = render(<Lists open={['a', 'b']} acknowledged={[]} />);
  screen.getByRole('link', { name: 'a' }).focus();
  rerender(<Lists open={['a', 'b']} acknowledged={['a']} />);
  rerender(<Lists open={['b']} acknowledged={['a']} />);
  expect(document.activeElement).toBe(screen.getByRole('link', { name: 'a' }));
});

it('does not take the focus from another element', () => {
  const { rerender } = render(<Lists open={['a', 'b']} acknowledged={[]} />);
  screen.getByRole('link', { name: 'a' }).focus();
  rerender(<Lists open={['b']} acknowledged={[]} />);
  screen.getByRole('button', { name: 'Other' }).focus();
  rerender(<Lists open={['b']} acknowledged={['a']} />);
  expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Other' }));
});

it('draws a trend of at least two intervals: a single bar says no more than the count', () => {
  const trend = { until: '2026-03-01T12:00:00.000Z', span_ms: 3_600_000 };
  const { rerender } = render(<Sparkline trend={{ ...trend, counts: [0, 0, 5] }} />);
  expect(screen.queryByRole('img')).toBeNull();
  rerender(<Sparkline trend={{ ...trend, counts: [0, 2, 5] }} />);
  expect(screen.getByRole('img').getAttribute('aria-label')).toBe('7 in 3 h');
});

it('folds groups with the same cause at the position of the first', () => {
  const related = (...ids: string[]) => ids.map((id) => ({ id, extension: id }));
  const groups = [
    groupFixture({ id: 'a', related: related('c', 'elsewhere') }),
    groupFixture({ id: 'b' }),
    groupFixture({ id: 'c', related: related('a', 'elsewhere') }),
  ];
  expect(foldByCause(groups).map(({ first, others }) => [first.id, others.map((other) => other.id)])).toEqual([
    ['a', ['c']],
    ['b', []],
  ]);
});

it('keeps the id of a fold if its order changes or a group is added', () => {
  const related = (...ids: string[]) => ids.map((id) => ({ id, extension: id }));
  const [a, c, e] = [
    groupFixture({ id: 'a', related: related('c') }),
    groupFixture({ id: 'c', related: related('a') }),
    groupFixture({ id: 'e', related: related('c', 'a') }),
  ];
  for (const groups of [
    [a, c],
    [c, a],
    [e, a, c],
  ])
    expect(foldByCause(groups).map(({ id }) => id)).toEqual(['a']);
});
