import { dehydrate, HydrationBoundary } from '@tanstack/react-query';
import type { Metadata } from 'next';
import { Forbidden } from '#components/accounts/Forbidden.tsx';
import { SecretsView } from '#components/settings/SecretsView.tsx';
import { createQueryClient } from '#lib/client/query-client.ts';
import { secretsQuery } from '#lib/client/secret-queries.ts';
import { currentHost } from '#lib/host/current-host.ts';
import { readSession } from '../../../read-session.ts';

export const metadata: Metadata = { title: 'Secrets' };

export default function SecretsPage() {
  const { mode, may, person } = readSession();
  if (mode === 'team' && !may.includes('secrets.read')) return <Forbidden needs="operator" role={person?.role ?? null} />;
  const client = createQueryClient();
  client.setQueryData(secretsQuery().queryKey, currentHost().secrets.list());
  return (
    <HydrationBoundary state={dehydrate(client)}>
      <SecretsView />
    </HydrationBoundary>
  );
}
