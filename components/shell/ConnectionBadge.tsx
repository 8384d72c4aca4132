'use client';

import { usePathname, useSearchParams } from 'next/navigation';
import { CircleDot, RefreshCw, WifiOff } from 'lucide-react';
import { useOffline } from 'next/offline';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { Badge } from '#components/ui/Badge.tsx';
import { Button } from '#components/ui/Button.tsx';
import { cx } from '#components/ui/cx.ts';
import { useClockText, useTimeZone } from '#components/ui/RelativeTime.tsx';
import { StaleBanner } from '#components/ui/StaleBanner.tsx';
import { spanInWords, timeOfDay } from '#components/ui/times.ts';
import { useLiveState } from '#lib/client/live-context.ts';
import { isNavigating, cancelNavigation, subscribeNavigation } from '#lib/client/pending-navigation.ts';
import { useSession } from '#lib/client/SessionProvider.tsx';

/** Live, reconnecting, or stale since a time; the banner shows for how long. */
export function ConnectionBadge({ onlyTroubleWhenNarrow = false }: { onlyTroubleWhenNarrow?: boolean }) {
  const { state, since } = useLiveState();
  const { clock } = useTimeZone();
  const moment = since === null ? '' : timeOfDay(new Date(since).toISOString(), clock).replace(/\.\d+/, '');
  return (
    <span
      role="status"
      aria-label="Connection"
      className={cx('inline-flex', onlyTroubleWhenNarrow && (state === 'live' || state === 'connecting') && 'max-sm:hidden')}
    >
      {state === 'live' ? (
        <Badge tone="ok" icon={<CircleDot />}>
          Live
        </Badge>
      ) : state === 'connecting' ? (
        <Connecting />
      ) : state === 'reconnecting' ? (
        <Badge tone="degraded" icon={<RefreshCw className="spinner" />}>
          Reconnecting
        </Badge>
      ) : (
        <Badge tone="failed" icon={<WifiOff />}>
          <span aria-hidden>
            Stale<span className={cx(onlyTroubleWhenNarrow && 'max-sm:hidden')}> since {moment}</span>
          </span>
          <span className="sr-only">Stale</span>
        </Badge>
      )}
    </span>
  );
}

const SOON_MS = 2_000;

/** Usually live at once, so it reserves that width and nothing beside it moves. */
function Connecting() {
  const [isLong, setIsLong] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setIsLong(true), SOON_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <Badge tone="off" icon={<RefreshCw />}>
      {isLong ? (
        'Connecting'
      ) : (
        <>
          <span className="sr-only">Connecting</span>
          <span aria-hidden className="invisible">
            Live
          </span>
        </>
      )}
    </Badge>
  );
}

export function ConnectionBanner() {
  const { state, since, retryNow } = useLiveState();
  const span = useClockText((now) => (since === null ? '' : spanInWords(Math.max(3_000, now - since))));
  // A signed-out person sees that instead of a connection error.
  const { isOver } = useSession();
  const isNavigationPending = usePendingNavigation();
  if (isOver) return null;
  // Sticky: it responds to a click, so it must be visible after scrolling.
  if (isNavigationPending)
    return (
      <div className="sticky top-13 z-10 low:top-0">
        <PendingNavigationBanner />
      </div>
    );
  if (state !== 'stale') return null;
  return (
    <StaleBanner
      action={
        <Button size="sm" onClick={retryNow}>
          Connect now
        </Button>
      }
    >
      No connection to the server for {span}. This page may be outdated. It refreshes when the server responds.
    </StaleBanner>
  );
}

/** Whether a navigation is pending because the server is unreachable. Next keeps it and retries it. */
function usePendingNavigation(): boolean {
  const isOffline = useOffline();
  const pathname = usePathname();
  // After Back the URL is already that of the other page.
  const isPending = useSyncExternalStore(
    subscribeNavigation,
    () => isNavigating() || location.pathname !== pathname,
    () => false,
  );
  return isOffline && isPending;
}

/** Next and the event stream check the connection at this event, else every few seconds. */
function retryNavigation() {
  window.dispatchEvent(new Event('online'));
}

function PendingNavigationBanner() {
  const path = usePathname();
  const search = useSearchParams().toString();

  function stay() {
    cancelNavigation();
    // Makes Next keep this page: after Back the URL is already that of another page.
    window.history.replaceState(null, '', search === '' ? path : `${path}?${search}`);
  }

  return (
    <StaleBanner
      action={
        <span className="flex gap-2">
          <Button size="sm" onClick={retryNavigation}>
            Try now
          </Button>
          <Button size="sm" onClick={stay}>
            Stay here
          </Button>
        </span>
      }
    >
      The server cannot be reached. Your input on this page is kept. The next page opens when the server responds.
    </StaleBanner>
  );
}
