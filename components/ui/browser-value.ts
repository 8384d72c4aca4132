'use client';

import { useSyncExternalStore } from 'react';

/** Whether a media query matches; false on the server. */
export function useMatch(query: string): boolean {
  return useSyncExternalStore(
    (changed) => {
      const media = window.matchMedia(query);
      media.addEventListener('change', changed);
      return () => media.removeEventListener('change', changed);
    },
    () => window.matchMedia(query).matches,
    () => false,
  );
}

/** A value that only the browser has; `before` on the server and while hydrating. */
export function useBrowserValue<Value>(read: () => Value, before: Value): Value {
  return useSyncExternalStore(subscribeToNothing, read, () => before);
}

function subscribeToNothing(): () => void {
  return () => undefined;
}
