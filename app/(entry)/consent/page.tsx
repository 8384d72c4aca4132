import { notFound } from 'next/navigation';
import { ConsentView } from '#components/accounts/ConsentView.tsx';
import { PageClient } from '#components/shell/PageClient.tsx';
import { SessionProvider } from '#lib/client/SessionProvider.tsx';
import { currentHost } from '#lib/host/current-host.ts';
import { readSession, titleWithAccounts } from '../../read-session.ts';

export const generateMetadata = () => titleWithAccounts('Connect a client');

interface Props {
  searchParams: Promise<Record<string, string | string[] | undefined>>;
}

export default async function ConsentPage({ searchParams }: Props) {
  const session = readSession();
  if (session.mode === 'local' || session.person === null) notFound();
  const given = Object.entries(await searchParams).flatMap(([name, values]) => [values ?? []].flat().map((value) => [name, value]));
  return (
    <SessionProvider session={session}>
      <PageClient since={currentHost().events.lastId()}>
        <ConsentView search={new URLSearchParams(given).toString()} person={session.person.name} />
      </PageClient>
    </SessionProvider>
  );
}
