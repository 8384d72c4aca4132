'use client';

import { useRouter } from 'next/navigation';
import { useEffect, useEffectEvent } from 'react';
import { useMatch } from './use-match.ts';

const BESIDE = '(min-width: 1280px)';

/**
 * Whether details are shown beside the list. On narrow windows an address with a selection redirects to the details page:
 * `selected` comes from the address, which narrow lists never set.
 */
export function useBeside(selected: string | null, pageOf: (id: string) => string): boolean {
  const router = useRouter();
  const open = useEffectEvent((id: string) => {
    if (!window.matchMedia(BESIDE).matches) router.replace(pageOf(id));
  });
  // Not when the window becomes narrower, which is no navigation.
  useEffect(() => {
    if (selected !== null) open(selected);
  }, [selected]);
  return useMatch(BESIDE);
}
