import type { LiveConnection, LiveState } from './live-connection.ts';

/** A connection with a settable state. */
export function connectionAt(first: LiveState['state']) {
  const listeners = new Set<() => void>();
  let state: LiveState = { state: first, since: null };
  const live: LiveConnection = {
    subscribe: () => () => undefined,
    subscribeState(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    state: () => state,
    start: () => undefined,
    retryNow: () => undefined,
    close: () => undefined,
  };
  const setState = (next: LiveState['state']): void => {
    state = { state: next, since: null };
    for (const listener of listeners) listener();
  };
  return { live, setState };
}
