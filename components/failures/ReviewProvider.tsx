'use client';

import { createContext, useContext, useMemo, useState } from 'react';
import type { ReactNode } from 'react';
import { toast } from '#components/ui/Sonner.tsx';
import { messageOf } from '#lib/client/api-problem.ts';
import { useChangeFailure } from '#lib/client/failure-mutations.ts';
import { usePersonName } from '#lib/client/ClientProvider.tsx';
import { person } from '#lib/client/person.ts';
import { useMay } from '#lib/client/SessionProvider.tsx';
import type { GroupChange } from '#lib/contract/failure-group.ts';
import { IgnoreDialog } from './IgnoreDialog.tsx';
import { NameDialog } from './NameDialog.tsx';
import type { ReviewActions } from './review-actions.ts';
import { SourceDialog } from './SourceDialog.tsx';

const Review = createContext<ReviewActions | null>(null);

type Asked =
  | { readonly what: 'name'; readonly goOn: (name: string | null) => void; readonly isNeeded: boolean }
  | { readonly what: 'ignore'; readonly ids: readonly string[] }
  | { readonly what: 'source'; readonly id: string };

/** The acts of the review, and what they ask of the person: a name (once), until when to ignore. */
export function ReviewProvider({ children }: { children: ReactNode }) {
  const { mutateAsync, isPending } = useChangeFailure();
  const isOffered = useMay('failures.review');
  const name = usePersonName();
  const [asked, setAsked] = useState<Asked | null>(null);
  const [problem, setProblem] = useState<string | null>(null);

  const actions = useMemo((): ReviewActions => {
    async function run(ids: readonly string[], change: GroupChange) {
      setProblem(null);
      try {
        for (const id of ids) await mutateAsync({ id, change });
      } catch (error) {
        setProblem(messageOf(error));
        toast('failed', messageOf(error));
      }
    }
    function withName(isNeeded: boolean, goOn: (name: string | null) => void) {
      if (!isOffered) return;
      if (name === null && (isNeeded || !person.wasAsked())) setAsked({ what: 'name', goOn, isNeeded });
      else goOn(name);
    }
    return {
      isOffered,
      change: (ids, change) => withName(false, () => void run(ids, change)),
      assignToMe: (ids) =>
        withName(true, (name) => {
          if (name !== null) void run(ids, { assignee: name });
        }),
      named: (act) => withName(false, () => act()),
      askToIgnore: (ids) => {
        if (isOffered) setAsked({ what: 'ignore', ids });
      },
      showSource: (id) => setAsked({ what: 'source', id }),
      isPending,
      problem,
    };
  }, [mutateAsync, isPending, problem, isOffered, name]);

  return (
    <Review value={actions}>
      {children}
      <NameDialog
        open={asked?.what === 'name'}
        isNeeded={asked?.what === 'name' && asked.isNeeded}
        onClose={() => setAsked(null)}
        onDone={(name) => {
          setAsked(null);
          if (asked?.what === 'name') asked.goOn(name);
        }}
      />
      <IgnoreDialog
        open={asked?.what === 'ignore'}
        count={asked?.what === 'ignore' ? asked.ids.length : 1}
        onClose={() => setAsked(null)}
        onIgnore={(change) => {
          setAsked(null);
          if (asked?.what === 'ignore') actions.change(asked.ids, change);
        }}
      />
      {asked?.what === 'source' ? <SourceDialog id={asked.id} onClose={() => setAsked(null)} /> : null}
    </Review>
  );
}

export function useReview(): ReviewActions {
  const review = useContext(Review);
  if (review === null) throw new Error('Put this component inside ReviewProvider.');
  return review;
}
