'use client';

import { usePathname, useSearchParams } from 'next/navigation';
import { renderQueryString, unstable_createAdapterProvider as createAdapterProvider } from 'nuqs/adapters/custom';
import type { unstable_AdapterInterface as Adapter, unstable_UpdateUrlFunction as UpdateUrl } from 'nuqs/adapters/custom';
import { startTransition, useLayoutEffect, useRef, useState } from 'react';
import { isLeaving } from '#lib/client/leaving.ts';

/*
 * Filters live in the address. What can go wrong: Next takes each change of the address for a step of its own and drops a page
 * that is on its way in, so that what people open right after typing never opens; and the adapter that comes with nuqs saves
 * changes up for some hundred milliseconds. Here the address is written in the turn after the change, and not at all while
 * another page is on its way. What was written holds until Next has it too, and no longer: kept for longer it would be what the next
 * page is filtered by, and Back would change the address alone.
 */
const AT_ONCE = 0;

interface Written {
  readonly pathname: string;
  readonly search: URLSearchParams;
  /** What the address was until then, as far as Next may still say so. */
  readonly passed: readonly string[];
}

function useAddress(): Adapter {
  const pathname = usePathname();
  const searchParams = useSearchParams();
  const [written, setWritten] = useState<Written | null>(null);
  const isOnItsWay = written !== null && written.pathname === pathname && written.passed.includes(searchParams.toString());
  if (written !== null && !isOnItsWay) setWritten(null);

  // A write may come from before the last address arrived, and must not take that for a foreign one.
  const arrived = useRef('');
  useLayoutEffect(() => {
    arrived.current = searchParams.toString();
  }, [searchParams]);

  const updateUrl: UpdateUrl = (search, { history: how, scroll }) => {
    if (isLeaving()) return;
    setWritten((before) => ({
      pathname: location.pathname,
      search,
      passed: [arrived.current, ...(before === null ? [] : [...before.passed, before.search.toString()])],
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
    searchParams: isOnItsWay ? written.search : searchParams,
    updateUrl,
    rateLimitFactor: AT_ONCE,
    autoResetQueueOnUpdate: true,
  };
}

/** Gives pages what nuqs needs to keep their filters in the address. */
export const AddressState = createAdapterProvider(useAddress);
