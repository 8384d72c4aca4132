'use client';

import { createContext, useContext, useEffect, useMemo, useState } from 'react';
import type { ReactNode } from 'react';
import type { SessionView } from '#lib/contract/account.ts';
import type { Action } from '#lib/contract/actions.ts';
import { API } from '#lib/contract/paths.ts';
import { LOCAL_SESSION } from '#lib/contract/local-session.ts';
import { request } from './request.ts';
import { sessionWatch } from './session-watch.ts';
import { SHAPES } from './shapes.ts';

/*
 * Who is signed in and what he may, as the server rendered it into the page, so that nothing flashes. What can go wrong: the
 * session ends or the role is changed while the page is open. Then something is refused (a request, the event stream), the
 * server is asked how things stand, and the page goes on with what it says: with less to press, or with the word that the
 * session is over. What stands on the page stays there.
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
  const isTeam = session.mode === 'team';

  useEffect(() => {
    if (!isTeam) return undefined;
    return watchSession((view) => setKnown((before) => after(before, view)));
  }, [isTeam]);

  const state = useMemo(
    () => ({
      view: known.view,
      isOver: known.isOver,
      take: (view: SessionView) => setKnown((before) => after(before, view)),
    }),
    [known],
  );
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

/** Asks the server whenever there is reason to, and when people come back to the page, who may have signed in elsewhere. */
function watchSession(said: (view: SessionView) => void): () => void {
  let asking = false;
  async function ask() {
    if (asking) return;
    asking = true;
    try {
      said(await request(API.session, SHAPES.session));
    } catch {
      // Whether the server can be reached is shown elsewhere; the next refusal asks again.
    } finally {
      asking = false;
    }
  }
  const onAsk = () => void ask();
  const end = sessionWatch.subscribe(onAsk);
  window.addEventListener('focus', onAsk);
  return () => {
    end();
    window.removeEventListener('focus', onAsk);
  };
}

export function useSession(): SessionState {
  return useContext(Session);
}

/** Whether who sits here may do this: what he may not is not offered. Without accounts everything is offered. */
export function useMay(action: Action): boolean {
  const { view } = useSession();
  return view.mode === 'local' || view.may.includes(action);
}
