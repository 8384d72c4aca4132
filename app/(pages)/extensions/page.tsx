import { dehydrate, HydrationBoundary } from '@tanstack/react-query';
import type { Metadata } from 'next';
import { ExtensionsView } from '#components/extensions/ExtensionsView.tsx';
import { createQueryClient } from '#lib/client/query-client.ts';
import { currentHost } from '#lib/host/current-host.ts';
import { prefetchLastHour } from '../prefetch.ts';

export const metadata: Metadata = { title: 'Extensions' };

/* The root layout prefetches the list. */
export default async function ExtensionsPage() {
  const client = createQueryClient();
  await prefetchLastHour(client);
  return (
    <HydrationBoundary state={dehydrate(client)}>
      <ExtensionsView folder={currentHost().config.extensionsDir} />
    </HydrationBoundary>
  );
}
