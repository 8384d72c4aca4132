import { act, cleanup, render, screen } from '@testing-library/react';
import { useEffect } from 'react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { SessionView } from '#lib/contract/account.ts';
import { LOCAL_SESSION } from '#lib/contract/local-session.ts';
import { SessionProvider, useMay, useMayNot, useSession } from './SessionProvider.tsx';
import { sessionWatch } from './session-watch.ts';
import { watchSession } from './session-end.ts';

const anna: SessionView = {
  mode: 'team',
  person: { id: 'm1', name: 'Anna', email: 'anna@team.example', initials: 'AN', role: 'operator' },
  may: ['calls.read', 'tools.call'],
  sign_in: { password: true, oidc: null },
  needs_first_admin: false,
};

const fetched = vi.fn<() => Promise<Response>>();

beforeEach(() => {
  fetched.mockReset();
  vi.stubGlobal('fetch', fetched);
});

afterEach(cleanup);

function Probe() {
  const { view, isOver, apply } = useSession();
  useEffect(() => (view.mode === 'team' ? watchSession(apply) : undefined), [view.mode, apply]);
  const mayCall = useMay('tools.call');
  const mayNotReload = useMayNot('extensions.reload');
  return (
    <p data-testid="probe">
      {[view.person?.name ?? 'nobody', mayCall ? 'calls' : '', isOver ? 'over' : '', mayNotReload ?? 'reloads'].join('|')}
    </p>
  );
}

const shown = () => screen.getByTestId('probe').textContent;

function answer(view: SessionView): void {
  fetched.mockResolvedValue(new Response(JSON.stringify(view)));
}

async function reject(): Promise<void> {
  await act(async () => {
    sessionWatch.reportRejection();
    await vi.waitFor(() => expect(fetched).toHaveBeenCalled());
  });
}

it('offers everything without accounts', async () => {
  render(
    <SessionProvider session={LOCAL_SESSION}>
      <Probe />
    </SessionProvider>,
  );
  sessionWatch.reportRejection();
  expect(shown()).toBe('nobody|calls||reloads');
  expect(fetched).not.toHaveBeenCalled();
});

it('offers permitted actions, and says why others are missing', () => {
  render(
    <SessionProvider session={anna}>
      <Probe />
    </SessionProvider>,
  );
  expect(shown()).toBe('Anna|calls||Reloading extensions is not part of your role (operator). An admin can change that.');
});

it('offers fewer actions after a request is rejected because the role changed', async () => {
  render(
    <SessionProvider session={anna}>
      <Probe />
    </SessionProvider>,
  );
  answer({ ...anna, person: anna.person === null ? null : { ...anna.person, role: 'viewer' }, may: ['calls.read'] });
  await reject();
  await vi.waitFor(() => expect(shown()).toContain('Anna|||Reloading extensions is not part of your role (viewer)'));
});

it('reports an ended session and keeps its member until the next sign-in', async () => {
  render(
    <SessionProvider session={anna}>
      <Probe />
    </SessionProvider>,
  );
  answer({ ...anna, person: null, may: [] });
  await reject();
  await vi.waitFor(() => expect(shown()).toContain('Anna|calls|over'));

  fetched.mockClear();
  answer(anna);
  act(() => void window.dispatchEvent(new Event('focus')));
  await vi.waitFor(() => expect(shown()).toContain('Anna|calls||'));
});

it('stays unchanged if the server does not respond', async () => {
  render(
    <SessionProvider session={anna}>
      <Probe />
    </SessionProvider>,
  );
  fetched.mockRejectedValue(new TypeError('Failed to fetch'));
  await reject();
  expect(shown()).toContain('Anna|calls||');
});
