'use client';

import { useEffect, useState } from 'react';
import { Button } from '#components/ui/Button.tsx';
import { ErrorState } from '#components/ui/ErrorState.tsx';
import { Skeleton } from '#components/ui/Skeleton.tsx';
import { isApiProblem, messageOf } from '#lib/client/api-problem.ts';
import { request } from '#lib/client/request.ts';
import { SHAPES } from '#lib/client/shapes.ts';
import type { JoinOffer } from '#lib/contract/account.ts';
import { API, PAGES } from '#lib/contract/paths.ts';
import { EntryFrame } from './EntryFrame.tsx';
import { JoinForm } from './JoinForm.tsx';
import { offerInWords } from './join-words.ts';
import { useJoinSecret } from './use-join-secret.ts';

type Looked = { readonly secret: string } & ({ readonly offer: JoinOffer } | { readonly error: unknown });

/** What the link is for, and the form that makes one a member. */
export function JoinView() {
  const secret = useJoinSecret();
  const [looked, setLooked] = useState<Looked | null>(null);
  const [tries, setTries] = useState(0);

  useEffect(() => {
    if (secret === null || secret === undefined) return undefined;
    const ending = new AbortController();
    request(API.lookAtJoin, SHAPES.joinOffer, { method: 'POST', body: { secret }, signal: ending.signal }).then(
      (offer) => setLooked({ secret, offer }),
      (error: unknown) => {
        if (!ending.signal.aborted) setLooked({ secret, error });
      },
    );
    return () => ending.abort();
  }, [secret, tries]);

  if (secret === null)
    return (
      <EntryFrame title="This link is not complete">
        <p>What makes it work stands behind the # at its end. Open the link again as a whole, from where you got it.</p>
        <ToSignIn />
      </EntryFrame>
    );
  if (looked === null || looked.secret !== secret)
    return (
      <EntryFrame title="Join Switchboard">
        <Skeleton lines={4} label="Looking at your link…" className="min-h-72 p-0" />
      </EntryFrame>
    );
  if ('error' in looked) {
    const isBad = isApiProblem(looked.error) && looked.error.status === 410;
    return (
      <EntryFrame title={isBad ? 'This link does not work' : 'Your link could not be looked at'}>
        {isBad ? (
          <p className="foreign">{messageOf(looked.error)}</p>
        ) : (
          <ErrorState title="Not read" detail={messageOf(looked.error)} onRetry={() => setTries(tries + 1)} />
        )}
        <ToSignIn />
      </EntryFrame>
    );
  }
  const words = offerInWords(looked.offer);
  return (
    <EntryFrame title={words.title} note={words.note}>
      <JoinForm secret={secret} offer={looked.offer} />
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
