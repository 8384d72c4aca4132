import { notFound } from 'next/navigation';
import { TokensView } from '#components/accounts/TokensView.tsx';
import { readSession, titleWithAccounts } from '../../../read-session.ts';

export const generateMetadata = () => titleWithAccounts('Tokens');

export default function TokensPage() {
  const { mode } = readSession();
  if (mode === 'local') notFound();
  return <TokensView />;
}
