'use client';

import type { ReactNode } from 'react';
import { hydration } from '#components/ui/hydration.ts';
import { ClientProvider } from '#lib/client/ClientProvider.tsx';

/** @param since see createLiveConnection */
export function PageClient({ since, children }: { since: number; children: ReactNode }) {
  return (
    <ClientProvider since={since} whenHydrated={hydration.whenDone}>
      {children}
    </ClientProvider>
  );
}
