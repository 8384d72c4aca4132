'use client';

import { lazy, Suspense, useEffect } from 'react';
import { useSession } from '#lib/client/SessionProvider.tsx';
import { watchSession } from '#lib/client/watch-session.ts';

const load = () => import('./SessionOver.tsx').then((module) => ({ default: module.SessionOver }));
const SessionOver = lazy(load);
const WARM_UP_MS = 5_000;

/** Stands over every page of a team: sees to it that the session is still what the page thinks, and says when it is over. */
export function SessionGuard() {
  const { isOver, take } = useSession();
  useEffect(() => watchSession(take), [take]);

  // It is needed when the server refuses what it is asked for, and must be there by then.
  useEffect(() => {
    const timer = setTimeout(() => void load().catch(() => undefined), WARM_UP_MS);
    return () => clearTimeout(timer);
  }, []);

  return isOver ? (
    <Suspense fallback={null}>
      <SessionOver />
    </Suspense>
  ) : null;
}
