import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { ServerClock } from '#components/ui/RelativeTime.tsx';
import { MomentField, type MomentFieldProps } from './CallFilters.tsx';

afterEach(cleanup);

function show(value: Date | null, day: MomentFieldProps['day'] = 'begins', zone: string | null = null) {
  const onChange = vi.fn<(value: Date | null) => void>();
  const shown = render(
    <ServerClock renderedAt={0} zone={zone}>
      <MomentField label="Since" value={value} onChange={onChange} day={day} />
    </ServerClock>,
  );
  const type = (text: string) => fireEvent.change(screen.getByRole('textbox'), { target: { value: text } });
  return {
    onChange,
    type,
    field: screen.getByRole('textbox', { name: zone === null ? 'Since, UTC' : 'Since, local time' }),
    picker: shown.container.querySelector('[aria-hidden][type]'),
  };
}

test('applies on blur or Enter, not on each key', () => {
  const { onChange, type, field } = show(null);
  for (const text of ['2', '2026-11', '2026-11-21', '2026-11-21 22:49']) type(text);
  expect(onChange).not.toHaveBeenCalled();
  fireEvent.keyDown(field, { key: 'Enter' });
  expect(onChange.mock.calls).toEqual([[new Date('2026-11-21T22:49:00Z')]]);
  fireEvent.blur(field);
  expect(onChange).toHaveBeenCalledTimes(1);
});

test('shows UTC in any browser zone, and can be cleared', () => {
  const { onChange, type, field } = show(new Date('2026-11-21T22:49:30Z'));
  expect(field).toHaveProperty('value', '2026-11-21 22:49');
  fireEvent.blur(field);
  expect(onChange).not.toHaveBeenCalled();
  type(' ');
  fireEvent.blur(field);
  expect(onChange.mock.calls).toEqual([[null]]);
});

test.each([
  ['begins', '2026-11-21T00:00:00Z'],
  ['ends', '2026-11-22T00:00:00Z'],
] as const)('reads a day as the moment at which it %s', (day, moment) => {
  const { onChange, type, field } = show(null, day);
  type('2026-11-21');
  fireEvent.blur(field);
  expect(onChange.mock.calls).toEqual([[new Date(moment)]]);
});

test('accepts a typed zone, and applies a picked time immediately', () => {
  const { onChange, type, field, picker } = show(null);
  type('2026-11-21T22:49:30+02:00');
  fireEvent.blur(field);
  if (picker === null) throw new Error('no picker');
  fireEvent.change(picker, { target: { value: '2026-11-22T08:15' } });
  expect(onChange.mock.calls).toEqual([[new Date('2026-11-21T20:49:30Z')], [new Date('2026-11-22T08:15:00Z')]]);
});

test('shows the expected format, keeps the input and applies no filter', () => {
  const { onChange, type, field } = show(new Date('2026-11-21T22:49:30Z'));
  type('2026-02-30');
  fireEvent.blur(field);
  const problem = screen.getByText(/^Enter a date, such as 2026-03-01, or a date and time/);
  expect([field.getAttribute('aria-invalid'), field.getAttribute('aria-describedby')]).toEqual(['true', problem.id]);
  expect(field).toHaveProperty('value', '2026-02-30');
  type('2026-02-3');
  expect(field.getAttribute('aria-invalid')).toBeNull();
  expect(onChange).not.toHaveBeenCalled();
});

test('shows and accepts local time once it is chosen, also on days of 25 hours', () => {
  vi.stubEnv('TZ', 'Europe/Oslo');
  const zone = vi.spyOn(Intl.DateTimeFormat.prototype, 'resolvedOptions').mockReturnValue({ timeZone: 'Europe/Oslo' } as never);
  const { onChange, type, field } = show(new Date('2026-10-24T22:00:00Z'), 'ends', 'Europe/Oslo');
  expect(field).toHaveProperty('value', '2026-10-25 00:00');
  type('2026-10-25');
  fireEvent.blur(field);
  type('2026-07-01 12:00');
  fireEvent.blur(field);
  expect(onChange.mock.calls).toEqual([[new Date('2026-10-25T23:00:00Z')], [new Date('2026-07-01T10:00:00Z')]]);
  zone.mockRestore();
  vi.unstubAllEnvs();
});
