'use client';

import { QueryClientProvider } from '@tanstack/react-query';
import { useEffect, useState, useSyncExternalStore } from 'react';
import type { ReactNode } from 'react';
import { hydration } from './hydration.ts';
import { createLiveConnection } from './live-connection.ts';
import { Live } from './live-context.ts';
import { createLiveRefetch } from './live-refetch.ts';
import { person } from './person.ts';
import { createQueryClient } from './query-client.ts';
import { useSession } from './SessionProvider.tsx';

/** Queries, event stream and refetches of the page. `since`: see createLiveConnection. */
export function ClientProvider({ since, children }: { since: number; children: ReactNode }) {
  const [client] = useState(createQueryClient);
  const [live] = useState(() => createLiveConnection(undefined, since));

  useEffect(() => {
    const refetch = createLiveRefetch(client);
    const end = live.subscribe(refetch);
    const keep = hydration.whenDone(live.start);
    return () => {
      keep();
      end();
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

/** The signed-in member, or the name people gave themselves; that name is null on the server and until it is set. */
export function usePersonName(): string | null {
  const { view } = useSession();
  const given = useSyncExternalStore(person.subscribe, person.name, () => null);
  return view.person?.name ?? given;
}
