import './globals.css';
import { dehydrate, HydrationBoundary } from '@tanstack/react-query';
import type { Metadata, Viewport } from 'next';
import { cookies } from 'next/headers';
import type { ReactNode } from 'react';
import { AddressState } from '#components/shell/AddressState.tsx';
import { AppShell } from '#components/shell/AppShell.tsx';
import { isTheme, THEME_COOKIE } from '#components/shell/theme.ts';
import { ServerClock } from '#components/ui/RelativeTime.tsx';
import { TooltipProvider } from '#components/ui/Tooltip.tsx';
import { ClientProvider } from '#lib/client/ClientProvider.tsx';
import { failureQueries } from '#lib/client/failure-queries.ts';
import { firstPage, queries } from '#lib/client/queries.ts';
import { createQueryClient } from '#lib/client/query-client.ts';
import { currentHost } from '#lib/host/current-host.ts';

/* Every page shows the present state and carries a nonce of its own: nothing is rendered ahead of a request. */
export const dynamic = 'force-dynamic';

export const metadata: Metadata = {
  title: { default: 'Switchboard', template: '%s · Switchboard' },
  description: 'The extensions of your agents: what runs, what failed, and what was called.',
};

export const viewport: Viewport = {
  width: 'device-width',
  initialScale: 1,
  viewportFit: 'cover',
  themeColor: [
    { media: '(prefers-color-scheme: light)', color: '#ffffff' },
    { media: '(prefers-color-scheme: dark)', color: '#16171b' },
  ],
};

const SNAPSHOTS = 20;

export default async function RootLayout({ children }: { children: ReactNode }) {
  const host = currentHost();
  // Before anything is read: what changes from here on is heard of.
  const since = host.events.lastId();
  const chosen = (await cookies()).get(THEME_COOKIE)?.value;
  const theme = isTheme(chosen) ? chosen : 'system';
  const client = createQueryClient();
  client.setQueryData(queries.extensions().queryKey, host.extensions.list());
  client.setQueryData(queries.channels().queryKey, host.channels.list());
  client.setQueryData(failureQueries.counts().queryKey, host.failures.counts());
  const snapshots = host.snapshots.list({ limit: SNAPSHOTS });
  if (snapshots.ok) client.setQueryData(queries.snapshots(SNAPSHOTS).queryKey, firstPage(snapshots.value));

  return (
    <html lang="en" {...(theme === 'system' ? {} : { 'data-theme': theme })}>
      <body>
        <AddressState>
          <ServerClock renderedAt={Date.now()}>
            <ClientProvider since={since}>
              <TooltipProvider>
                <HydrationBoundary state={dehydrate(client)}>
                  <AppShell theme={theme}>{children}</AppShell>
                </HydrationBoundary>
              </TooltipProvider>
            </ClientProvider>
          </ServerClock>
        </AddressState>
      </body>
    </html>
  );
}
