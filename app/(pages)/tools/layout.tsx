import { dehydrate, HydrationBoundary } from '@tanstack/react-query';
import { cookies } from 'next/headers';
import type { ReactNode } from 'react';
import { readListState, TOOL_LIST_COOKIE } from '#components/tools/tool-words.ts';
import { ToolsFrame } from '#components/tools/ToolsFrame.tsx';
import { listTools } from '#lib/client/listed-tools.ts';
import { queries } from '#lib/client/queries.ts';
import { createQueryClient } from '#lib/client/query-client.ts';
import { currentHost } from '#lib/host/current-host.ts';

export default async function ToolsLayout({ children }: { children: ReactNode }) {
  const client = createQueryClient();
  client.setQueryData(queries.tools().queryKey, listTools(currentHost().tools.list()));
  return (
    <HydrationBoundary state={dehydrate(client)}>
      <ToolsFrame list={readListState((await cookies()).get(TOOL_LIST_COOKIE)?.value)}>{children}</ToolsFrame>
    </HydrationBoundary>
  );
}
