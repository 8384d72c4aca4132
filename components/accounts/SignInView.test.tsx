import { cleanup, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { SessionView } from '#lib/contract/account.ts';
import { SignInForm } from './SignInView.tsx';

const anna: SessionView = {
  mode: 'team',
  person: { id: 'm1', name: 'Anna', email: 'anna@team.example', initials: 'AN', role: 'operator' },
  may: [],
  sign_in: { password: true, oidc: null },
  needs_first_admin: false,
};

const fetched = vi.fn<(path: string, init: RequestInit) => Promise<Response>>();
const signedIn = vi.fn<(view: SessionView) => void>();

beforeEach(() => {
  fetched.mockReset();
  signedIn.mockReset();
  vi.stubGlobal('fetch', fetched);
});

afterEach(cleanup);

function refuse(code: string, status: number, detail: string, headers: Record<string, string> = {}) {
  fetched.mockResolvedValueOnce(new Response(JSON.stringify({ code, status, detail, title: code }), { status, headers }));
}

async function fillIn(password: string) {
  await userEvent.type(screen.getByRole('textbox', { name: 'E-mail' }), 'anna@team.example');
  await userEvent.type(screen.getByLabelText('Password'), `${password}{Enter}`);
}

it('focuses the e-mail field, or the password field if the e-mail is known', () => {
  const { unmount } = render(<SignInForm ways={anna.sign_in} to="/" onSignedIn={signedIn} />);
  expect(document.activeElement).toBe(screen.getByRole('textbox', { name: 'E-mail' }));
  unmount();
  render(<SignInForm ways={anna.sign_in} email="anna@team.example" to="/" onSignedIn={signedIn} />);
  expect(document.activeElement).toBe(screen.getByLabelText('Password'));
});

it('submits the fields and continues with the signed-in member', async () => {
  fetched.mockResolvedValueOnce(new Response(JSON.stringify(anna)));
  render(<SignInForm ways={anna.sign_in} to="/" onSignedIn={signedIn} />);
  await fillIn('correct horse battery');
  await vi.waitFor(() => expect(signedIn).toHaveBeenCalledWith(anna));
  expect(fetched.mock.calls[0]?.[1].body).toBe(JSON.stringify({ email: 'anna@team.example', password: 'correct horse battery' }));
});

it('shows why sign-in failed, and focuses the password field', async () => {
  refuse('sign_in_failed', 401, 'The e-mail or the password is not right.');
  render(<SignInForm ways={anna.sign_in} to="/" onSignedIn={signedIn} />);
  await fillIn('wrong horse battery');
  expect((await screen.findByText('The e-mail or the password is not right.')).closest('[role=alert]')).not.toBeNull();
  expect(document.activeElement).toBe(screen.getByLabelText('Password'));
  expect(signedIn).not.toHaveBeenCalled();
});

it('counts down to the next allowed attempt, and sends nothing before', async () => {
  refuse('too_many_attempts', 429, 'Too many tries. Wait a moment.', { 'retry-after': '600' });
  render(<SignInForm ways={anna.sign_in} to="/" onSignedIn={signedIn} />);
  await fillIn('wrong horse battery');
  const button = await screen.findByRole('button', { name: /^Try again in (600|599) s$/ });
  expect(button.getAttribute('aria-disabled')).toBe('true');
  await userEvent.type(screen.getByLabelText('Password'), '{Enter}');
  expect(fetched).toHaveBeenCalledTimes(1);
});

it('shows the password on request', async () => {
  render(<SignInForm ways={anna.sign_in} to="/" onSignedIn={signedIn} />);
  const field = screen.getByLabelText('Password');
  expect(field.getAttribute('type')).toBe('password');
  await userEvent.click(screen.getByRole('button', { name: 'Show the password' }));
  expect(field.getAttribute('type')).toBe('text');
});

it('offers only the provider if passwords are disabled', () => {
  render(<SignInForm ways={{ password: false, oidc: { name: 'Team ID' } }} to="/" onSignedIn={signedIn} />);
  expect(screen.getByRole('button', { name: 'Continue with Team ID' })).not.toBeNull();
  expect(screen.queryByLabelText('Password')).toBeNull();
});
