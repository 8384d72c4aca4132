'use client';

import { lazy, Suspense, useEffect } from 'react';
import { useSession } from '#lib/client/SessionProvider.tsx';
import { watchSession } from '#lib/client/session-end.ts';

const load = () => import('./SessionOver.tsx').then((module) => ({ default: module.SessionOver }));
const SessionOver = lazy(load);
const WARM_UP_MS = 5_000;

export function SessionGuard() {
  const { isOver, apply } = useSession();
  useEffect(() => watchSession(apply), [apply]);

  // Loaded early: once the session is over, the server refuses requests.
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
