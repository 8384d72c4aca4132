import { dehydrate, HydrationBoundary } from '@tanstack/react-query';
import { notFound } from 'next/navigation';
import { TeamView } from '#components/accounts/TeamView.tsx';
import { accountQueries } from '#lib/client/account-queries.ts';
import { createQueryClient } from '#lib/client/query-client.ts';
import { currentHost, currentPrincipal } from '#lib/host/current-host.ts';
import { readSession, titleWithAccounts } from '../../read-session.ts';

export const generateMetadata = () => titleWithAccounts('Team');

export default async function TeamPage() {
  const { accounts } = currentHost();
  const asks = currentPrincipal();
  const { may } = readSession();
  if (accounts === null || asks === null || !may.includes('members.read')) notFound();
  const client = createQueryClient();
  client.setQueryData(accountQueries.members().queryKey, await accounts.members.list(asks));
  if (may.includes('members.manage')) client.setQueryData(accountQueries.invitations().queryKey, await accounts.invitations.list());
  return (
    <HydrationBoundary state={dehydrate(client)}>
      <TeamView />
    </HydrationBoundary>
  );
}
