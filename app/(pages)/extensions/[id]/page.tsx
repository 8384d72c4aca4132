import { dehydrate, HydrationBoundary } from '@tanstack/react-query';
import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import { ExtensionDetail } from '#components/extensions/ExtensionDetail.tsx';
import { Markdown } from '#components/ui/Markdown.tsx';
import { visibleText } from '#components/ui/visible-text.ts';
import { callStatsQuery, hourBefore } from '#lib/client/call-stats-queries.ts';
import { dependenciesQuery } from '#lib/client/dependency-queries.ts';
import { extensionResourcesQuery } from '#lib/client/extension-queries.ts';
import { listTools } from '#lib/client/listed-tools.ts';
import { queries } from '#lib/client/queries.ts';
import { createQueryClient } from '#lib/client/query-client.ts';
import { serverFeaturesQuery } from '#lib/client/server-queries.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import { currentHost } from '#lib/host/current-host.ts';
import { atOnce } from '../../prefetch.ts';

interface Props {
  params: Promise<{ id: string }>;
}

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  return { title: visibleText(decodeURIComponent((await params).id)) };
}

export default async function ExtensionPage({ params }: Props) {
  const id = decodeURIComponent((await params).id);
  const host = currentHost();
  const extension = await host.extensions.get(id);
  if (!extension.ok) notFound();

  const client = createQueryClient();
  client.setQueryData(queries.extension(id).queryKey, extension.value);
  const features = host.servers.features(id);
  if (features.ok) client.setQueryData(serverFeaturesQuery(id).queryKey, features.value);
  client.setQueryData(queries.tools().queryKey, listTools(host.tools.list()));
  const resources = host.extensions.resources(id);
  if (resources.ok) client.setQueryData(extensionResourcesQuery(id).queryKey, resources.value);
  const lastHour = { extension: id, since: hourBefore(Date.now()) };
  const [dependencies, stats] = await Promise.all([
    atOnce(host.extensions.dependencies(id)),
    atOnce(host.calls.stats({ ...lastHour, buckets: LIMITS.statsBuckets })),
  ]);
  if (dependencies?.ok === true) client.setQueryData(dependenciesQuery(id).queryKey, dependencies.value);
  if (stats?.ok === true) client.setQueryData(callStatsQuery(lastHour).queryKey, stats.value);
  const { instructions } = extension.value;
  return (
    <HydrationBoundary state={dehydrate(client)}>
      <ExtensionDetail
        id={id}
        {...(instructions === '' ? {} : { instructions: { text: instructions, rendered: <Markdown text={instructions} /> } })}
      />
    </HydrationBoundary>
  );
}
