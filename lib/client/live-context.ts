'use client';

import { createContext, useContext, useEffect, useEffectEvent, useSyncExternalStore } from 'react';
import { BEFORE_FIRST_CONNECTION, type LiveConnection, type LiveState } from './live-connection.ts';

/** Provided by ClientProvider. */
export const Live = createContext<LiveConnection | null>(null);

/** The event stream; `useLiveState` has its state. */
export function useLiveConnection(): LiveConnection {
  const live = useContext(Live);
  if (live === null) throw new Error('Put this component inside ClientProvider.');
  return live;
}

/** Whether the page is up to date. */
export function useLiveState(): LiveState & { readonly retryNow: () => void } {
  const live = useLiveConnection();
  const state = useSyncExternalStore(live.subscribeState, live.state, () => BEFORE_FIRST_CONNECTION);
  return { ...state, retryNow: live.retryNow };
}

/** Called after each reconnect. Never outside ClientProvider. */
export function useReconnected(onBack: () => void): void {
  const live = useContext(Live);
  const back = useEffectEvent(onBack);
  useEffect(() => {
    if (live === null) return;
    let was = live.state().state;
    return live.subscribeState(() => {
      const now = live.state().state;
      if (now === 'live' && was !== 'live') back();
      was = now;
    });
  }, [live]);
}
