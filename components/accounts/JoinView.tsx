'use client';

import { type FormEvent, useEffect, useRef, useState } from 'react';
import { Button } from '#components/ui/Button.tsx';
import { ErrorState, Skeleton } from '#components/ui/QueryState.tsx';
import { Field, Input } from '#components/ui/Field.tsx';
import { isApiProblem, messageOf } from '#lib/client/api-problem.ts';
import { request } from '#lib/client/request.ts';
import { ROLE_WORDS } from '#lib/client/role-words.ts';
import { SHAPES } from '#lib/client/shapes.ts';
import type { JoinOffer } from '#lib/contract/account.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import { API, PAGES } from '#lib/contract/paths.ts';
import { EmailField, FormProblem, NewPassword, passwordRules, textIn, useRetryAfter } from './AccountFields.tsx';
import { EntryFrame } from './EntryFrame.tsx';

export function offerInWords({ kind, role, invited_by: by }: JoinOffer): { readonly title: string; readonly note: string } {
  const { name, may } = ROLE_WORDS[role];
  switch (kind) {
    case 'first_admin':
      return { title: 'Become the first admin', note: 'Nobody has joined this server yet. You will invite the others.' };
    case 'recovery':
      return { title: 'Recover admin access', note: `This link was created on the server. It makes you ${withArticle(name)}.` };
    case 'invitation':
      return { title: 'Join Switchboard', note: `${by ?? 'An admin'} invites you as ${withArticle(name)}. ${may}` };
  }
}

function withArticle(name: string): string {
  const word = name.toLowerCase();
  return `${/^[aeiou]/.test(word) ? 'an' : 'a'} ${word}`;
}

/**
 * The secret is in the URL fragment, which browsers do not send. It is removed from the address bar at once, to keep it out of
 * the history. Undefined until read; null for none.
 */
function useJoinSecret(): string | null | undefined {
  const [secret, setSecret] = useState<string | null>();

  useEffect(() => {
    function read() {
      const given = window.location.hash.slice(1);
      if (given !== '') window.history.replaceState(window.history.state, '', window.location.pathname);
      setSecret((before) => (given === '' ? (before ?? null) : given));
    }
    read();
    // Opening another link on this page changes only the fragment.
    window.addEventListener('hashchange', read);
    return () => window.removeEventListener('hashchange', read);
  }, []);

  return secret;
}

type LoadedOffer = { readonly secret: string } & ({ readonly offer: JoinOffer } | { readonly error: unknown });

export function JoinView() {
  const secret = useJoinSecret();
  const [loaded, setLoaded] = useState<LoadedOffer | null>(null);
  const [tries, setTries] = useState(0);

  useEffect(() => {
    if (secret === null || secret === undefined) return undefined;
    const ending = new AbortController();
    request(API.lookAtJoin, SHAPES.joinOffer, { method: 'POST', body: { secret }, signal: ending.signal }).then(
      (offer) => setLoaded({ secret, offer }),
      (error: unknown) => {
        if (!ending.signal.aborted) setLoaded({ secret, error });
      },
    );
    return () => ending.abort();
  }, [secret, tries]);

  if (secret === null)
    return (
      <EntryFrame title="Incomplete link">
        <p>This invitation link is incomplete. Copy the full link and try again.</p>
        <ToSignIn />
      </EntryFrame>
    );
  if (loaded === null || loaded.secret !== secret)
    return (
      <EntryFrame title="Join Switchboard">
        <Skeleton lines={4} className="min-h-72 p-0" />
      </EntryFrame>
    );
  if ('error' in loaded) {
    const isBad = isApiProblem(loaded.error) && loaded.error.status === 410;
    return (
      <EntryFrame title={isBad ? 'Invalid link' : 'Could not check the link'}>
        {isBad ? (
          <p className="foreign">{messageOf(loaded.error)}</p>
        ) : (
          <ErrorState title="Could not load the invitation" detail={messageOf(loaded.error)} onRetry={() => setTries(tries + 1)} />
        )}
        <ToSignIn />
      </EntryFrame>
    );
  }
  const words = offerInWords(loaded.offer);
  return (
    <EntryFrame title={words.title} note={words.note}>
      <JoinForm secret={secret} offer={loaded.offer} />
    </EntryFrame>
  );
}

function ToSignIn() {
  return (
    <Button asChild className="self-start">
      <a href={PAGES.signIn}>Go to sign in</a>
    </Button>
  );
}

function JoinForm({ secret, offer }: { secret: string; offer: JoinOffer }) {
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
    const missing = passwordRules(password, name, email).find(({ isMet }) => !isMet);
    if (missing !== undefined) return refuse(`Required: ${missing.words.toLowerCase()}.`, true);
    setPending(true);
    setProblem(null);
    try {
      await request(API.join, SHAPES.session, { method: 'POST', body: { secret, name, email, password } });
      // A full navigation: Back must not lead to a used link.
      window.location.replace(PAGES.overview);
    } catch (error) {
      noteRetry(error);
      refuse(messageOf(error), isApiProblem(error) && error.code === 'password_weak');
    }
  }

  return (
    <form ref={form} method="post" onSubmit={(event) => void submit(event)} className="flex min-w-0 flex-col gap-4">
      <Field label="Your name" description="Shown with your actions.">
        <Input
          name="name"
          autoComplete="name"
          required
          maxLength={LIMITS.personNameLength}
          value={name}
          onChange={(event) => setName(event.target.value)}
          className="h-9"
        />
      </Field>
      <EmailField
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
