import { useQuery } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useRef } from 'react';
import { PRESENCE_BEAT_MS } from '#lib/contract/limits.ts';
import { API } from '#lib/contract/paths.ts';
import type { PresenceNote, PresentDoing, PresentPerson } from '#lib/contract/failure-group.ts';
import { failureKeys } from './failure-queries.ts';
import { request } from './request.ts';
import { SHAPES } from './shapes.ts';

/*
 * Members viewing a failure. Each read also registers the reader: immediately, every few seconds while the page is visible, and
 * when an event reports a change. A hidden or left page signs off; others expire.
 */

let page: string | null = null;

/** Distinguishes this tab from others of the same person. */
function thisPage(): string {
  page ??= Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, '0')).join('');
  return page;
}

export function usePresence(id: string, doing: PresentDoing): readonly PresentPerson[] {
  const { data, refetch } = useQuery({
    queryKey: failureKeys.presence(id),
    queryFn: ({ signal }) => {
      const note: PresenceNote = { page: thisPage(), doing };
      return request(API.failurePresence(id), SHAPES.presence, { method: 'POST', body: note, signal });
    },
    staleTime: 0,
    gcTime: 0,
    retry: false,
    refetchInterval: PRESENCE_BEAT_MS,
  });

  const report = useEffectEvent(() => void refetch());
  const reported = useRef(doing);
  useEffect(() => {
    if (reported.current === doing) return;
    reported.current = doing;
    report();
  }, [doing]);

  useEffect(() => {
    const leave = () => {
      const note: PresenceNote = { page: thisPage(), doing: 'gone' };
      navigator.sendBeacon(API.failurePresence(id), new Blob([JSON.stringify(note)], { type: 'application/json' }));
    };
    const onVisibility = () => {
      if (document.hidden) leave();
      else report();
    };
    document.addEventListener('visibilitychange', onVisibility);
    window.addEventListener('pagehide', leave);
    return () => {
      document.removeEventListener('visibilitychange', onVisibility);
      window.removeEventListener('pagehide', leave);
      leave();
    };
  }, [id]);

  return data?.people ?? [];
}
