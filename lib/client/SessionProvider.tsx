'use client';

import { createContext, useCallback, useContext, useMemo, useState } from 'react';
import type { ReactNode } from 'react';
import type { SessionView } from '#lib/contract/account.ts';
import type { Action } from '#lib/contract/actions.ts';
import { LOCAL_SESSION } from '#lib/contract/local-session.ts';

/*
 * Who is signed in and what he may, as the server rendered it into the page, so that nothing flashes. What can go wrong: the
 * session ends or the role is changed while the page is open. watch-session.ts then asks the server how things stand, and the
 * page goes on with what it says: with less to press, or with the word that the session is over. What stands on the page stays
 * there.
 */

export interface SessionState {
  readonly view: SessionView;
  /** Of a team: nobody is signed in any more. `view` is as it was. */
  readonly isOver: boolean;
  /** Goes on with what the server said. */
  readonly take: (view: SessionView) => void;
}

const Session = createContext<SessionState>({ view: LOCAL_SESSION, isOver: false, take: () => undefined });

export function SessionProvider({ session, children }: { session: SessionView; children: ReactNode }) {
  const [known, setKnown] = useState({ given: session, view: session, isOver: false });
  // Rendered anew by the server, which knows best.
  if (known.given !== session) setKnown({ given: session, view: session, isOver: false });

  const take = useCallback((view: SessionView) => setKnown((before) => after(before, view)), []);
  const state = useMemo(() => ({ view: known.view, isOver: known.isOver, take }), [known, take]);
  return <Session value={state}>{children}</Session>;
}

interface Known {
  readonly given: SessionView;
  readonly view: SessionView;
  readonly isOver: boolean;
}

function after(before: Known, view: SessionView): Known {
  if (view.person === null) return before.isOver ? before : { ...before, isOver: true };
  const isSame = !before.isOver && JSON.stringify(view) === JSON.stringify(before.view);
  return isSame ? before : { ...before, view, isOver: false };
}

export function useSession(): SessionState {
  return useContext(Session);
}

/** Whether who sits here may do this: what he may not is not offered. Without accounts everything is offered. */
export function useMay(action: Action): boolean {
  const { view } = useSession();
  return view.mode === 'local' || view.may.includes(action);
}
