'use client';

import { QueryClientProvider } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState, useSyncExternalStore } from 'react';
import { createLiveConnection } from './live-connection.ts';
import { Live } from './live-context.ts';
import { createLiveRefetch } from './live-refetch.ts';
import { person } from './person.ts';
import { createQueryClient } from './query-client.ts';
import { useSession } from './SessionProvider.tsx';

interface Props {
  /** See createLiveConnection. */
  since: number;
  /** Calls back when events may change the page; returns a function that cancels this. */
  whenHydrated(start: () => void): () => void;
  children: ReactNode;
}

/** Queries, event stream and refetches of the page. */
export function ClientProvider({ since, whenHydrated, children }: Props) {
  const [client] = useState(createQueryClient);
  const [live] = useState(() => createLiveConnection(undefined, since));

  useEffect(() => {
    const refetch = createLiveRefetch(client);
    const end = live.subscribe(refetch);
    const drop = whenHydrated(live.start);
    return () => {
      drop();
      end();
      refetch.close();
      live.close();
    };
  }, [client, live, whenHydrated]);

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
