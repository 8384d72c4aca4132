'use client';

import { createContext, type ReactNode, useCallback, useContext, useMemo, useState } from 'react';
import type { SessionView } from '#lib/contract/account.ts';
import { type Action, ACTIONS } from '#lib/contract/actions.ts';
import { LOCAL_SESSION } from '#lib/contract/local-session.ts';

/*
 * The session and its permissions, rendered into the page by the server, so that nothing flashes. If the session ends or its
 * role changes while the page is open, session-end.ts reads the session again, and the page continues with fewer actions or
 * shows that the session is over. Input on the page is kept.
 */

interface SessionState {
  readonly view: SessionView;
  /** Team mode: the session is over. `view` is unchanged. */
  readonly isOver: boolean;
  /** Applies the server's answer. */
  readonly apply: (view: SessionView) => void;
}

const Session = createContext<SessionState>({ view: LOCAL_SESSION, isOver: false, apply: () => undefined });

export function SessionProvider({ session, children }: { session: SessionView; children: ReactNode }) {
  const [known, setKnown] = useState({ given: session, view: session, isOver: false });
  // A new server render replaces the state.
  if (known.given !== session) setKnown({ given: session, view: session, isOver: false });

  const apply = useCallback((view: SessionView) => setKnown((before) => after(before, view)), []);
  const state = useMemo(() => ({ view: known.view, isOver: known.isOver, apply }), [known, apply]);
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

/** Whether the person has a permission; actions without it are not offered. Always true without accounts. */
export function useMay(action: Action): boolean {
  const { view } = useSession();
  return view.mode === 'local' || view.may.includes(action);
}

/** Why the person lacks a permission, in a line that replaces the action; null with the permission. */
export function useMayNot(action: Action): string | null {
  const { view } = useSession();
  if (view.mode === 'local' || view.person === null || view.may.includes(action)) return null;
  return `${ACTIONS[action]} is not part of your role (${view.person.role}). An admin can change that.`;
}
