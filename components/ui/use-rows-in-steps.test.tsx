import { act, cleanup, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { useRowsInSteps } from './use-rows-in-steps.ts';

/** Observers that were not disconnected. */
const observing = new Set<ByTest>();

class ByTest {
  readonly report: (entries: { isIntersecting: boolean }[]) => void;

  constructor(report: (entries: { isIntersecting: boolean }[]) => void) {
    this.report = report;
  }

  observe() {
    observing.add(this);
  }

  disconnect() {
    observing.delete(this);
  }
}

function List({ count, needed = 0 }: { count: number; needed?: number }) {
  const { shown, end } = useRowsInSteps<HTMLDivElement>(count, needed);
  return (
    <div ref={end} data-testid="end">
      {shown}
    </div>
  );
}

const rows = () => Number(screen.getByTestId('end').textContent);
const scroll = (isIntersecting: boolean) => act(() => observing.forEach((observer) => observer.report([{ isIntersecting }])));

beforeEach(() => void vi.stubGlobal('IntersectionObserver', ByTest));
afterEach(() => {
  cleanup();
  expect(observing.size).toBe(0);
});

test('renders all rows of a short list, and observes nothing', () => {
  render(<List count={100} />);
  expect([rows(), observing.size]).toEqual([100, 0]);
});

test('renders a hundred more rows whenever the end comes near, until all are there', () => {
  render(<List count={250} />);
  const seen = [rows()];
  scroll(false);
  for (let step = 0; step < 3; step += 1) {
    seen.push(rows());
    scroll(true);
  }
  expect([...seen, rows()]).toEqual([100, 100, 200, 250, 250]);
  expect(observing.size).toBe(0);
});

test('renders the selected row, and continues after it', () => {
  render(<List count={1_000} needed={431} />);
  expect(rows()).toBe(500);
  scroll(true);
  expect(rows()).toBe(600);
});

test('follows a list that grows or is filtered', () => {
  const { rerender } = render(<List count={250} />);
  rerender(<List count={30} />);
  expect([rows(), observing.size]).toEqual([30, 0]);
  rerender(<List count={400} />);
  expect(rows()).toBe(100);
  scroll(true);
  expect(rows()).toBe(200);
});
