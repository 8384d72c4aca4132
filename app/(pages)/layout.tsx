import { dehydrate, HydrationBoundary } from '@tanstack/react-query';
import { redirect } from 'next/navigation';
import { NuqsAdapter } from 'nuqs/adapters/next/app';
import type { ReactNode } from 'react';
import { AppShell } from '#components/shell/AppShell.tsx';
import { PageClient } from '#components/shell/PageClient.tsx';
import { SessionGuard } from '#components/accounts/SessionGuard.tsx';
import { failureQueries } from '#lib/client/failure-queries.ts';
import { instancesQuery } from '#lib/client/instance-queries.ts';
import { firstPage, queries } from '#lib/client/queries.ts';
import { createQueryClient } from '#lib/client/query-client.ts';
import { SessionProvider } from '#lib/client/SessionProvider.tsx';
import { currentHost, currentMember } from '#lib/host/current-host.ts';
import { PAGES } from '#lib/contract/paths.ts';
import { readSession } from '../read-session.ts';

const SNAPSHOTS = 20;

export default async function PagesLayout({ children }: { children: ReactNode }) {
  const session = readSession();
  const isTeam = session.mode === 'team';
  // The server's authentication middleware already rejects requests without a session; this is a second check.
  if (isTeam && session.person === null) redirect(PAGES.signIn);
  const host = currentHost();
  // Before any read, so that no later change is missed.
  const since = host.events.lastId();
  const client = createQueryClient();
  client.setQueryData(queries.extensions().queryKey, host.extensions.list());
  client.setQueryData(queries.channels().queryKey, await host.channels.list());
  client.setQueryData(failureQueries.counts().queryKey, await host.failures.counts(currentMember()?.id ?? null));
  client.setQueryData(instancesQuery().queryKey, await host.instances.list());
  const snapshots = await host.snapshots.list({ limit: SNAPSHOTS, changes_only: 'true' });
  if (snapshots.ok) client.setQueryData(queries.snapshots(SNAPSHOTS).queryKey, firstPage(snapshots.value));

  return (
    <NuqsAdapter>
      <SessionProvider session={session}>
        <PageClient since={since}>
          <HydrationBoundary state={dehydrate(client)}>
            <AppShell isTeam={isTeam} {...(isTeam ? { notice: <SessionGuard /> } : {})}>
              {children}
            </AppShell>
          </HydrationBoundary>
        </PageClient>
      </SessionProvider>
    </NuqsAdapter>
  );
}
