import { dehydrate, HydrationBoundary } from '@tanstack/react-query';
import type { Metadata } from 'next';
import { ChannelStates, ChannelTrouble } from '#components/channels/ChannelTrouble.tsx';
import { TroubleList } from '#components/extensions/TroubleList.tsx';
import { CallsPanel } from '#components/overview/CallsPanel.tsx';
import { NEWEST_CALLS } from '#components/overview/hour-words.ts';
import { LastChanges } from '#components/shell/ChangeList.tsx';
import { WatchPanel } from '#components/shell/WatchPanel.tsx';
import { PageHead } from '#components/ui/Panel.tsx';
import { firstPage, queries } from '#lib/client/queries.ts';
import { createQueryClient } from '#lib/client/query-client.ts';
import { currentHost } from '#lib/host/current-host.ts';
import { prefetchLastHour } from './prefetch.ts';

export const metadata: Metadata = { title: 'Overview' };

export default async function OverviewPage() {
  const host = currentHost();
  const client = createQueryClient();
  const calls = await host.calls.list({ limit: NEWEST_CALLS });
  if (calls.ok) client.setQueryData(queries.calls({}, NEWEST_CALLS).queryKey, firstPage(calls.value));
  await prefetchLastHour(client);
  return (
    <HydrationBoundary state={dehydrate(client)}>
      <div className="flex flex-col gap-4">
        <PageHead title="Overview" />
        <TroubleList folder={host.config.extensionsDir} />
        <ChannelTrouble />
        <div className="grid items-start gap-4 xl:grid-cols-[minmax(0,1fr)_24rem]">
          <CallsPanel />
          <div className="flex min-w-0 flex-col gap-4">
            <WatchPanel />
            <ChannelStates />
            <LastChanges />
          </div>
        </div>
      </div>
    </HydrationBoundary>
  );
}
