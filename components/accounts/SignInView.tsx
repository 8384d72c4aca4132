'use client';

import { KeyRound } from 'lucide-react';
import { type FormEvent, useEffect, useId, useRef, useState } from 'react';
import { Button } from '#components/ui/Button.tsx';
import { messageOf } from '#lib/client/api-problem.ts';
import { request } from '#lib/client/request.ts';
import { SHAPES } from '#lib/client/shapes.ts';
import type { SessionView } from '#lib/contract/account.ts';
import { API } from '#lib/contract/paths.ts';
import { EmailField, FormProblem, PasswordField, textIn, useIsAlive, useRetryAfter } from './AccountFields.tsx';
import { EntryFrame } from './EntryFrame.tsx';

const ARRIVALS: Readonly<Record<string, string>> = {
  cancelled: 'The identity provider reported that the sign-in was cancelled. Try again or sign in another way.',
  not_invited: 'No member has your e-mail address. Ask an admin for an invitation.',
  email_not_verified: 'The identity provider has not verified your e-mail address. Verify it there, then try again.',
  inactive: 'Your account is deactivated. Ask an admin to activate it.',
  expired: 'The sign-in expired or started in another browser. Try again.',
};
const FAILED = 'Sign-in with the identity provider failed. Try again; if it fails again, see the server log.';

export function arrivalInWords(problem: unknown): string | null {
  if (typeof problem !== 'string' || problem === '') return null;
  return Object.hasOwn(ARRIVALS, problem) ? (ARRIVALS[problem] ?? FAILED) : FAILED;
}

interface SignInViewProps {
  ways: SessionView['sign_in'];
  needsFirstAdmin: boolean;
  to: string;
  problem: unknown;
}

export function SignInView({ ways, needsFirstAdmin, to, problem }: SignInViewProps) {
  if (needsFirstAdmin)
    return (
      <EntryFrame title="No members yet">
        <p>
          The server printed a link when it started: “Open …/join#… to become the first admin of this server”. Open it, then invite the
          others. It expires after 24 hours; restart the server for a new one.
        </p>
      </EntryFrame>
    );
  return (
    <EntryFrame title="Sign in" note={to === '/' ? undefined : <SignInNote to={to} />}>
      <SignInForm
        ways={ways}
        to={to}
        problem={arrivalInWords(problem)}
        // A full navigation, so that the server renders for the signed-in person.
        onSignedIn={() => window.location.replace(to)}
      />
      <p className="border-t pt-4 text-sm text-muted">No account, or forgot your password? Ask an admin for a link.</p>
    </EntryFrame>
  );
}

function SignInNote({ to }: { to: string }) {
  const [path = to] = to.split('?');
  return (
    <>
      to continue to <code className="break-all">{path}</code>
    </>
  );
}

interface SignInFormProps {
  ways: SessionView['sign_in'];
  email?: string | undefined;
  to: string;
  problem?: string | null;
  onSignedIn: (view: SessionView) => void;
}

/** Uncontrolled inputs: what a password manager filled in before hydration is kept. */
export function SignInForm({ ways, email, to, problem: before = null, onSignedIn }: SignInFormProps) {
  const id = useId();
  const isAlive = useIsAlive();
  const [problem, setProblem] = useState(before);
  const [pending, setPending] = useState<'password' | 'provider' | null>(null);
  const [seconds, noteRetry] = useRetryAfter();
  const form = useRef<HTMLFormElement>(null);
  const password = useRef<HTMLInputElement>(null);

  useEffect(() => {
    const first = form.current?.querySelector<HTMLInputElement>(email === undefined ? 'input[name=email]' : 'input[name=password]');
    first?.focus();
  }, [email]);

  async function attempt(way: 'password' | 'provider', work: () => Promise<void>) {
    setPending(way);
    setProblem(null);
    try {
      await work();
    } catch (error) {
      noteRetry(error);
      setProblem(messageOf(error));
      setPending(null);
      password.current?.focus();
      password.current?.select();
    }
  }

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    event.stopPropagation();
    if (pending !== null || seconds !== null) return;
    const given = new FormData(event.currentTarget);
    void attempt('password', async () => {
      const body = { email: textIn(given, 'email'), password: textIn(given, 'password') };
      onSignedIn(await request(API.session, SHAPES.session, { method: 'POST', body }));
    });
  }

  function goToProvider() {
    if (pending !== null) return;
    void attempt('provider', async () => {
      const { url } = await request(API.beginOidc, SHAPES.oidcBegun, { method: 'POST', body: { to } });
      window.location.assign(url);
    });
  }

  const waiting = seconds === null ? null : `Try again in ${seconds} s`;
  return (
    <div className="flex min-w-0 flex-col gap-4">
      {ways.oidc === null ? null : (
        <Button size="lg" icon={<KeyRound />} pending={pending === 'provider'} disabled={!isAlive} onClick={goToProvider}>
          <span className="truncate">Continue with {ways.oidc.name}</span>
        </Button>
      )}
      {ways.oidc === null || !ways.password ? null : (
        <p className="flex items-center gap-3 text-sm text-muted before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line">
          or
        </p>
      )}
      {ways.password ? (
        <form ref={form} method="post" onSubmit={submit} className="flex min-w-0 flex-col gap-4">
          <EmailField defaultValue={email} aria-describedby={`${id}-problem`} />
          <PasswordField ref={password} label="Password" name="password" autoComplete="current-password" describedBy={`${id}-problem`} />
          <Button
            type="submit"
            variant="primary"
            size="lg"
            pending={pending === 'password'}
            disabled={!isAlive}
            aria-disabled={waiting !== null}
            className="tabular"
          >
            {pending === 'password' ? 'Signing in…' : (waiting ?? 'Sign in')}
          </Button>
        </form>
      ) : null}
      <div id={`${id}-problem`}>
        <FormProblem>{problem}</FormProblem>
      </div>
    </div>
  );
}
