import { dehydrate, HydrationBoundary } from '@tanstack/react-query';
import type { Metadata } from 'next';
import { ToolsetsView } from '#components/settings/ToolsetsView.tsx';
import { createQueryClient } from '#lib/client/query-client.ts';
import { toolsetsQuery } from '#lib/client/toolset-queries.ts';
import { currentHost } from '#lib/host/current-host.ts';

export const metadata: Metadata = { title: 'Toolsets' };

export default function ToolsetsPage() {
  const client = createQueryClient();
  client.setQueryData(toolsetsQuery().queryKey, currentHost().toolsets.list());
  return (
    <HydrationBoundary state={dehydrate(client)}>
      <ToolsetsView />
    </HydrationBoundary>
  );
}
