'use client';

import { useState, useSyncExternalStore } from 'react';
import { useClockText } from '#components/ui/RelativeTime.tsx';
import { isApiProblem } from '#lib/client/api-problem.ts';

/** After a refusal that says when it makes sense to try again: the seconds until then, null when there is nothing to wait for. */
export function useRetryAfter(): readonly [seconds: number | null, note: (error: unknown) => void] {
  const [until, setUntil] = useState<number | null>(null);
  const words = useClockText((now) => (until === null || now >= until ? '' : String(Math.ceil((until - now) / 1_000))));
  return [
    words === '' ? null : Number(words),
    (error) =>
      setUntil(isApiProblem(error) && error.status === 429 && error.retryAfter !== null ? Date.now() + error.retryAfter * 1_000 : null),
  ];
}

/** Whether scripts run: before that a form would be sent in the browser's own way. */
export function useIsAlive(): boolean {
  return useSyncExternalStore(
    nothing,
    () => true,
    () => false,
  );
}

function nothing(): () => void {
  return () => undefined;
}
