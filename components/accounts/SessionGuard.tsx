'use client';

import { lazy, Suspense, useEffect } from 'react';
import { useSession } from '#lib/client/SessionProvider.tsx';

const load = () => import('./SessionOver.tsx').then((module) => ({ default: module.SessionOver }));
const SessionOver = lazy(load);
const WARM_UP_MS = 5_000;

/** Stands over every page of a team: shows when the session is over. */
export function SessionGuard() {
  const { isOver } = useSession();

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
