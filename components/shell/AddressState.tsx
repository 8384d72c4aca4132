'use client';

import { usePathname, useSearchParams } from 'next/navigation';
import { renderQueryString, unstable_createAdapterProvider as createAdapterProvider } from 'nuqs/adapters/custom';
import type { unstable_AdapterInterface as Adapter, unstable_UpdateUrlFunction as UpdateUrl } from 'nuqs/adapters/custom';
import { startTransition, useLayoutEffect, useRef, useState } from 'react';
import { isNavigating } from '#lib/client/pending-navigation.ts';

/*
 * Filters live in the URL. Next treats each URL change as a navigation and drops a pending one, so a page opened right after
 * typing would never open; the adapter of nuqs also delays changes by some hundred milliseconds. Here the URL is written in the
 * next turn, and not while a navigation is pending. The written value is used only until Next has it: longer, it would filter
 * the next page, and Back would change the URL alone.
 */
const AT_ONCE = 0;

interface Written {
  readonly pathname: string;
  readonly search: URLSearchParams;
  /** Previous URL, which Next may still report. */
  readonly previous: readonly string[];
}

function useAddress(): Adapter {
  const pathname = usePathname();
  const searchParams = useSearchParams();
  const [written, setWritten] = useState<Written | null>(null);
  const isUnreported = written !== null && written.pathname === pathname && written.previous.includes(searchParams.toString());
  if (written !== null && !isUnreported) setWritten(null);

  // A write may precede the last URL report, which must not count as an external change.
  const lastReported = useRef('');
  useLayoutEffect(() => {
    lastReported.current = searchParams.toString();
  }, [searchParams]);

  const updateUrl: UpdateUrl = (search, { history: how, scroll }) => {
    if (isNavigating()) return;
    setWritten((before) => ({
      pathname: location.pathname,
      search,
      previous: [lastReported.current, ...(before === null ? [] : [...before.previous, before.search.toString()])],
    }));
    startTransition(() => {
      const address = location.origin + location.pathname + renderQueryString(search) + location.hash;
      if (how === 'push') history.pushState(null, '', address);
      else history.replaceState(null, '', address);
      if (scroll) window.scrollTo(0, 0);
    });
  };
  return {
    pathname,
    searchParams: isUnreported ? written.search : searchParams,
    updateUrl,
    rateLimitFactor: AT_ONCE,
    autoResetQueueOnUpdate: true,
  };
}

/** nuqs adapter for all pages. */
export const AddressState = createAdapterProvider(useAddress);
