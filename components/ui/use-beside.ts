'use client';

import { useRouter } from 'next/navigation';
import { useEffect, useEffectEvent } from 'react';
import { useMatch } from './use-match.ts';

const BESIDE = '(min-width: 1280px)';

/**
 * Whether what is chosen in a list is shown beside it. Where there is no room, an address that names something chosen leads to its
 * page: `selected` is what the address names, and never set by a list without room.
 */
export function useBeside(selected: string | null, pageOf: (id: string) => string): boolean {
  const router = useRouter();
  const open = useEffectEvent((id: string) => {
    if (!window.matchMedia(BESIDE).matches) router.replace(pageOf(id));
  });
  // Not when the window becomes narrower: nobody asked for another page.
  useEffect(() => {
    if (selected !== null) open(selected);
  }, [selected]);
  return useMatch(BESIDE);
}
