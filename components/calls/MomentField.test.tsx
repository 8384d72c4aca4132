import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { MomentField } from './MomentField.tsx';

afterEach(cleanup);

function show(value: Date | null) {
  const told = vi.fn<(value: Date | null) => void>();
  render(<MomentField id="since" label="Since, UTC" value={value} onChange={told} />);
  return { told, field: screen.getByLabelText('Since, UTC') };
}

test('takes effect when it is left or by Enter, and not with each key', () => {
  const { told, field } = show(null);
  for (const year of ['0002', '0020', '0202', '2026']) fireEvent.change(field, { target: { value: `${year}-11-21T22:49` } });
  expect(told).not.toHaveBeenCalled();
  fireEvent.keyDown(field, { key: 'Enter' });
  expect(told.mock.calls).toEqual([[new Date('2026-11-21T22:49:00Z')]]);
  fireEvent.blur(field);
  expect(told).toHaveBeenCalledTimes(1);
});

test('shows the time in UTC, whatever the zone of the browser, and is emptied', () => {
  const { told, field } = show(new Date('2026-11-21T22:49:30Z'));
  expect(field).toHaveProperty('value', '2026-11-21T22:49');
  fireEvent.blur(field);
  expect(told).not.toHaveBeenCalled();
  fireEvent.change(field, { target: { value: '' } });
  fireEvent.blur(field);
  expect(told.mock.calls).toEqual([[null]]);
});
