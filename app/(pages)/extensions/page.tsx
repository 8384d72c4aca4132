import { dehydrate, HydrationBoundary } from '@tanstack/react-query';
import type { Metadata } from 'next';
import { ExtensionsView } from '#components/extensions/ExtensionsView.tsx';
import { EXAMPLE_EXTENSION } from '#components/extensions/example-extension.ts';
import { createQueryClient } from '#lib/client/query-client.ts';
import { currentHost } from '#lib/host/current-host.ts';
import { prefetchExample, prefetchLastHour } from '../prefetch.ts';

export const metadata: Metadata = { title: 'Extensions' };

/* The root layout prefetches the list. */
export default async function ExtensionsPage() {
  const host = currentHost();
  const client = createQueryClient();
  await prefetchLastHour(client);
  const isEmpty = host.extensions.list().extensions.every(({ state }) => state === 'excluded');
  return (
    <HydrationBoundary state={dehydrate(client)}>
      <ExtensionsView folder={host.config.extensionsDir} exampleLines={isEmpty ? await prefetchExample(EXAMPLE_EXTENSION) : null} />
    </HydrationBoundary>
  );
}
