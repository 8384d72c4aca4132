'use client';

import { useEffect, useId, useRef, useState } from 'react';
import type { FormEvent } from 'react';
import { Button } from '#components/ui/Button.tsx';
import { Field, Input } from '#components/ui/Field.tsx';
import { isApiProblem, messageOf } from '#lib/client/api-problem.ts';
import { request } from '#lib/client/request.ts';
import { SHAPES } from '#lib/client/shapes.ts';
import type { JoinOffer } from '#lib/contract/account.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import { API, PAGES } from '#lib/contract/paths.ts';
import { EmailField } from './EmailField.tsx';
import { useRetryAfter } from './form-hooks.ts';
import { textIn } from './form-text.ts';
import { FormProblem } from './FormProblem.tsx';
import { NewPassword } from './NewPassword.tsx';
import { passwordRules } from './password-rules.ts';

/** Name, e-mail and a password: after that one is a member, and signed in. */
export function JoinForm({ secret, offer }: { secret: string; offer: JoinOffer }) {
  const id = useId();
  const form = useRef<HTMLFormElement>(null);
  const [name, setName] = useState('');
  const [email, setEmail] = useState(offer.email ?? '');
  const [problem, setProblem] = useState<{ readonly words: string; readonly isPassword: boolean } | null>(null);
  const [isPending, setPending] = useState(false);
  const [seconds, noteRetry] = useRetryAfter();

  useEffect(() => {
    form.current?.querySelector<HTMLInputElement>('input[name=name]')?.focus();
  }, []);

  function refuse(words: string, isPassword: boolean) {
    setProblem({ words, isPassword });
    setPending(false);
    if (isPassword) form.current?.querySelector<HTMLInputElement>('input[name=password]')?.focus();
  }

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    if (isPending || seconds !== null) return;
    const password = textIn(new FormData(event.currentTarget), 'password');
    const missing = passwordRules(password, name, email).find(({ isKept }) => !isKept);
    if (missing !== undefined) return refuse(`It has to be: ${missing.words.toLowerCase()}.`, true);
    setPending(true);
    setProblem(null);
    try {
      await request(API.join, SHAPES.session, { method: 'POST', body: { secret, name, email, password } });
      // A page of its own, and not one more step: whoever goes back does not come to a link that is used up.
      window.location.replace(PAGES.overview);
    } catch (error) {
      noteRetry(error);
      refuse(messageOf(error), isApiProblem(error) && error.code === 'password_weak');
    }
  }

  return (
    <form ref={form} method="post" onSubmit={(event) => void submit(event)} className="flex min-w-0 flex-col gap-4">
      <Field id={`${id}-name`} label="Your name" description="What you do here is recorded under it.">
        <Input
          id={`${id}-name`}
          name="name"
          autoComplete="name"
          required
          maxLength={LIMITS.personNameLength}
          value={name}
          onChange={(event) => setName(event.target.value)}
          aria-describedby={`${id}-name-description`}
          className="h-9"
        />
      </Field>
      <EmailField
        id={`${id}-email`}
        description={offer.email === null ? 'You sign in with it.' : 'You sign in with it. The invitation is for this address.'}
        readOnly={offer.email !== null}
        value={email}
        onChange={(event) => setEmail(event.target.value)}
      />
      <NewPassword
        label="Password"
        name="password"
        personName={name}
        email={email}
        error={problem?.isPassword === true ? problem.words : null}
      />
      <Button type="submit" variant="primary" size="lg" pending={isPending} aria-disabled={seconds !== null} className="tabular">
        {isPending ? 'Joining…' : seconds === null ? 'Join' : `Try again in ${seconds} s`}
      </Button>
      <FormProblem>{problem === null || problem.isPassword ? null : problem.words}</FormProblem>
    </form>
  );
}
