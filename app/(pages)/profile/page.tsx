import { dehydrate, HydrationBoundary } from '@tanstack/react-query';
import { notFound } from 'next/navigation';
import { ProfileView } from '#components/accounts/ProfileView.tsx';
import { accountQueries } from '#lib/client/account-queries.ts';
import { createQueryClient } from '#lib/client/query-client.ts';
import { currentHost, currentPrincipal } from '#lib/host/current-host.ts';
import { titleWithAccounts } from '../../read-session.ts';

export const generateMetadata = () => titleWithAccounts('Profile');

export default async function ProfilePage() {
  const { accounts } = currentHost();
  const asks = currentPrincipal();
  if (accounts === null || asks?.kind !== 'member') notFound();
  const client = createQueryClient();
  client.setQueryData(accountQueries.members().queryKey, await accounts.members.list(asks));
  return (
    <HydrationBoundary state={dehydrate(client)}>
      <ProfileView />
    </HydrationBoundary>
  );
}
