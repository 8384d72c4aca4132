'use client';

import { KeyRound } from 'lucide-react';
import { useEffect, useId, useRef, useState } from 'react';
import type { FormEvent } from 'react';
import { Button } from '#components/ui/Button.tsx';
import { messageOf } from '#lib/client/api-problem.ts';
import { request } from '#lib/client/request.ts';
import { SHAPES } from '#lib/client/shapes.ts';
import type { SessionView } from '#lib/contract/account.ts';
import { API } from '#lib/contract/paths.ts';
import { EmailField } from './EmailField.tsx';
import { useIsAlive, useRetryAfter } from './form-hooks.ts';
import { textIn } from './form-text.ts';
import { FormProblem } from './FormProblem.tsx';
import { PasswordField } from './PasswordField.tsx';

export interface SignInFormProps {
  ways: SessionView['sign_in'];
  /** Known already: it is filled in, and the password comes first. */
  email?: string;
  /** A path of this server, for the way back from a provider. */
  to: string;
  /** What went wrong on the way here. */
  problem?: string | null;
  onSignedIn: (view: SessionView) => void;
}

/**
 * E-mail and password, and a provider where one is set up. The fields are the browser's own, so that what a password manager
 * filled in before the scripts ran is not lost.
 */
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
        <Button size="lg" icon={<KeyRound aria-hidden />} pending={pending === 'provider'} disabled={!isAlive} onClick={goToProvider}>
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
          <EmailField id={`${id}-email`} defaultValue={email} aria-describedby={`${id}-problem`} />
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
