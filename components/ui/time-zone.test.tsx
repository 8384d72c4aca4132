import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { renderToString } from 'react-dom/server';
import { afterEach, beforeEach, expect, it, test, vi } from 'vitest';
import { ClockTime, ServerClock, useTimeZone } from './RelativeTime.tsx';
import { isZone, ZONE_COOKIE } from './times.ts';

const TIME = '2026-11-21T22:49:05.120Z';

function Page() {
  const { isLocal, setLocal } = useTimeZone();
  return (
    <>
      <ClockTime time={TIME} />
      <button type="button" onClick={() => setLocal(!isLocal)}>
        switch
      </button>
    </>
  );
}

const page = (zone: string | null) => (
  <ServerClock renderedAt={0} zone={zone}>
    <Page />
  </ServerClock>
);

beforeEach(() => {
  vi.stubEnv('TZ', 'Asia/Kolkata');
  vi.spyOn(Intl.DateTimeFormat.prototype, 'resolvedOptions').mockReturnValue({ timeZone: 'Asia/Kolkata' } as never);
});
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  document.cookie = `${ZONE_COOKIE}=; Max-Age=0`;
});

const shown = () => document.querySelector('time');

it('is UTC until local time is chosen, stores the choice, and can be changed back', () => {
  render(page(null));
  expect(shown()?.textContent).toBe('22:49:05.120 UTC');
  expect(shown()?.title).toBe('2026-11-21 22:49:05.120 UTC, 2026-11-22 04:19:05.120 UTC+05:30');
  fireEvent.click(screen.getByRole('button'));
  expect(shown()?.textContent).toBe('04:19:05.120 UTC+05:30');
  expect(shown()?.title).toBe('2026-11-22 04:19:05.120 UTC+05:30, 2026-11-21 22:49:05.120 UTC');
  expect(document.cookie).toBe(`${ZONE_COOKIE}=Asia/Kolkata`);
  fireEvent.click(screen.getByRole('button'));
  expect(shown()?.textContent).toBe('22:49:05.120 UTC');
  expect(document.cookie).not.toContain('Asia');
});

it('renders the same on server and browser, then follows a changed zone of the browser', () => {
  const mismatch = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const root = document.body.appendChild(document.createElement('div'));
  root.innerHTML = renderToString(page('Europe/Oslo'));
  expect(shown()?.textContent).toBe('23:49:05.120 UTC+01:00');
  render(page('Europe/Oslo'), { container: root, hydrate: true });
  expect(mismatch).not.toHaveBeenCalled();
  expect(shown()?.textContent).toBe('04:19:05.120 UTC+05:30');
  expect(document.cookie).toBe(`${ZONE_COOKIE}=Asia/Kolkata`);
  cleanup();
  root.remove();
});

test.each(['Europe/Oslo', 'America/Argentina/Buenos_Aires', 'Etc/GMT+5', 'UTC'])('accepts %s as a zone', (zone) => {
  expect(isZone(zone)).toBe(true);
});

test.each([undefined, '', 'local', 'Europe/Nowhere', '<b>', 'x'.repeat(65)])('rejects %s as a zone', (zone) => {
  expect(isZone(zone)).toBe(false);
});
