'use client';

import { QueryClientProvider } from '@tanstack/react-query';
import { useEffect, useState, useSyncExternalStore } from 'react';
import type { ReactNode } from 'react';
import { heldNavigation } from './held-navigation.ts';
import { createLiveConnection } from './live-connection.ts';
import { Live } from './live-context.ts';
import { createLiveRefetch } from './live-refetch.ts';
import { person } from './person.ts';
import { createQueryClient } from './query-client.ts';
import { useSession } from './SessionProvider.tsx';

/** Once, around the app: the queries, the page's one event stream, and the refetches it causes. `since`: see createLiveConnection. */
export function ClientProvider({ since, children }: { since: number; children: ReactNode }) {
  const [client] = useState(createQueryClient);
  const [live] = useState(() => createLiveConnection(undefined, since));

  useEffect(() => {
    const refetch = createLiveRefetch(client);
    const end = live.subscribe(refetch);
    const endHolding = heldNavigation.start();
    const endWaiting = live.subscribeState(() => {
      if (live.state().state === 'live') heldNavigation.retryNow();
    });
    live.start();
    return () => {
      end();
      endWaiting();
      endHolding();
      refetch.close();
      live.close();
    };
  }, [client, live]);

  return (
    <QueryClientProvider client={client}>
      <Live value={live}>{children}</Live>
    </QueryClientProvider>
  );
}

/** Whether a page that was asked for is waited for, because the server is away. */
export function useHeldNavigation(): boolean {
  return useSyncExternalStore(heldNavigation.subscribe, heldNavigation.isHeld, () => false);
}

/** The name of who is signed in, or the one that people gave themselves; that one is null on the server and until they did. */
export function usePersonName(): string | null {
  const { view } = useSession();
  const given = useSyncExternalStore(person.subscribe, person.name, () => null);
  return view.person?.name ?? given;
}
