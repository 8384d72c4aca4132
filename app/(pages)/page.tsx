import { dehydrate, HydrationBoundary } from '@tanstack/react-query';
import type { Metadata } from 'next';
import { ChannelTrouble } from '#components/channels/ChannelTrouble.tsx';
import { TroubleList } from '#components/extensions/TroubleList.tsx';
import { OVERVIEW_CALLS } from '#components/overview/overview-calls.ts';
import { RecentCalls } from '#components/overview/RecentCalls.tsx';
import { LastChanges } from '#components/shell/LastChanges.tsx';
import { firstPage, queries } from '#lib/client/queries.ts';
import { createQueryClient } from '#lib/client/query-client.ts';
import { currentHost } from '#lib/host/current-host.ts';

export const dynamic = 'force-dynamic';
export const metadata: Metadata = { title: 'Overview' };

export default function OverviewPage() {
  const host = currentHost();
  const client = createQueryClient();
  const calls = host.calls.list({ limit: OVERVIEW_CALLS });
  if (calls.ok) client.setQueryData(queries.calls({}, OVERVIEW_CALLS).queryKey, firstPage(calls.value));
  return (
    <HydrationBoundary state={dehydrate(client)}>
      <h1 className="sr-only">Overview</h1>
      <div className="flex flex-col gap-4">
        <TroubleList folder={host.config.extensionsDir} />
        <ChannelTrouble />
        <div className="grid items-start gap-4 xl:grid-cols-[minmax(0,1fr)_24rem]">
          <RecentCalls />
          <LastChanges />
        </div>
      </div>
    </HydrationBoundary>
  );
}
