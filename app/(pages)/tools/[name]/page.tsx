import { dehydrate, HydrationBoundary } from '@tanstack/react-query';
import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import { firstPage, queries } from '#lib/client/queries.ts';
import { createQueryClient } from '#lib/client/query-client.ts';
import { callFilterSchema } from '#lib/contract/call.ts';
import { currentHost } from '#lib/host/current-host.ts';
import { ToolBench } from './ToolBench.tsx';

export const dynamic = 'force-dynamic';

const RECENT = 12;

interface Props {
  params: Promise<{ name: string }>;
  searchParams: Promise<Record<string, string | string[] | undefined>>;
}

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  return { title: decodeURIComponent((await params).name) };
}

export default async function ToolPage({ params, searchParams }: Props) {
  const name = decodeURIComponent((await params).name);
  const { from } = await searchParams;
  const host = currentHost();
  const tool = host.tools.get(name);
  if (!tool.ok) notFound();

  const client = createQueryClient();
  client.setQueryData(queries.tool(name).queryKey, tool.value);
  client.setQueryData(queries.tools().queryKey, host.tools.list());
  const recent = host.calls.list(callFilterSchema.parse({ tool: name, limit: RECENT }));
  if (recent.ok) client.setQueryData(queries.calls({ tool: name }, RECENT).queryKey, firstPage(recent.value));
  const loaded = typeof from === 'string' ? host.calls.get(from) : null;
  return (
    <HydrationBoundary state={dehydrate(client)}>
      <ToolBench key={name} name={name} loaded={loaded?.ok === true && loaded.value.tool === name ? loaded.value : null} />
    </HydrationBoundary>
  );
}
