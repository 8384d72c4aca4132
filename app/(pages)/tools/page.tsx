import { dehydrate, HydrationBoundary } from '@tanstack/react-query';
import type { Metadata } from 'next';
import { ToolList } from '#components/tools/ToolList.tsx';
import { PageHead } from '#components/ui/PageHead.tsx';
import { listTools } from '#lib/client/listed-tools.ts';
import { queries } from '#lib/client/queries.ts';
import { createQueryClient } from '#lib/client/query-client.ts';
import { currentHost } from '#lib/host/current-host.ts';

export const metadata: Metadata = { title: 'Tools' };

export default function ToolsPage() {
  const client = createQueryClient();
  client.setQueryData(queries.tools().queryKey, listTools(currentHost().tools.list()));
  return (
    <HydrationBoundary state={dehydrate(client)}>
      <div className="flex w-full max-w-5xl flex-col gap-4">
        <PageHead title="Tools" note="All tools of every extension. Open one to fill in its arguments and run it." />
        <ToolList />
      </div>
    </HydrationBoundary>
  );
}
