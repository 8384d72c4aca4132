'use client';

import { type ReactNode, createContext, useContext, useMemo, useState } from 'react';
import { lazyPart } from '#components/ui/lazy-part.tsx';
import { toast } from '#components/ui/Sonner.tsx';
import { usePersonName } from '#lib/client/ClientProvider.tsx';
import { useMay } from '#lib/client/SessionProvider.tsx';
import { messageOf } from '#lib/client/api-problem.ts';
import { useChangeFailure } from '#lib/client/failure-mutations.ts';
import { person } from '#lib/client/person.ts';
import type { GroupChange } from '#lib/contract/failure-group.ts';

const IgnoreDialog = lazyPart(async () => (await import('./ReviewDialogs.tsx')).IgnoreDialog);
const NameDialog = lazyPart(async () => (await import('./ReviewDialogs.tsx')).NameDialog);
const SourceDialog = lazyPart(async () => (await import('./ReviewDialogs.tsx')).SourceDialog);

interface ReviewActions {
  /** False for people without permission: all actions are no-ops. */
  readonly isOffered: boolean;
  readonly change: (ids: readonly string[], change: GroupChange) => void;
  readonly assignToMe: (ids: readonly string[]) => void;
  readonly askToIgnore: (ids: readonly string[]) => void;
  readonly named: (act: () => void) => void;
  readonly showSource: (id: string) => void;
  readonly isPending: boolean;
  readonly problem: string | null;
}

const Review = createContext<ReviewActions | null>(null);

type OpenDialog =
  | { readonly what: 'name'; readonly proceed: (name: string | null) => void; readonly isNeeded: boolean }
  | { readonly what: 'ignore'; readonly ids: readonly string[] }
  | { readonly what: 'source'; readonly id: string };

export function ReviewProvider({ children }: { children: ReactNode }) {
  const { mutateAsync, isPending } = useChangeFailure();
  const isOffered = useMay('failures.review');
  const name = usePersonName();
  const [dialog, setDialog] = useState<OpenDialog | null>(null);
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
    function withName(isNeeded: boolean, proceed: (name: string | null) => void) {
      if (!isOffered) return;
      if (name === null && (isNeeded || !person.wasAsked())) setDialog({ what: 'name', proceed, isNeeded });
      else proceed(name);
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
        if (isOffered) setDialog({ what: 'ignore', ids });
      },
      showSource: (id) => setDialog({ what: 'source', id }),
      isPending,
      problem,
    };
  }, [mutateAsync, isPending, problem, isOffered, name]);

  return (
    <Review value={actions}>
      {children}
      {dialog?.what === 'name' ? (
        <NameDialog
          isNeeded={dialog.isNeeded}
          onClose={() => setDialog(null)}
          onDone={(name) => {
            setDialog(null);
            dialog.proceed(name);
          }}
        />
      ) : null}
      {dialog?.what === 'ignore' ? (
        <IgnoreDialog
          count={dialog.ids.length}
          onClose={() => setDialog(null)}
          onIgnore={(change) => {
            setDialog(null);
            actions.change(dialog.ids, change);
          }}
        />
      ) : null}
      {dialog?.what === 'source' ? <SourceDialog id={dialog.id} onClose={() => setDialog(null)} /> : null}
    </Review>
  );
}

export function useReview(): ReviewActions {
  const review = useContext(Review);
  if (review === null) throw new Error('Put this component inside ReviewProvider.');
  return review;
}
