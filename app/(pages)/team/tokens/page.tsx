import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import { TokensView } from '#components/accounts/TokensView.tsx';
import { readSession } from '../../../read-session.ts';

export const metadata: Metadata = { title: 'Tokens' };

export default function TokensPage() {
  const { mode } = readSession();
  if (mode === 'local') notFound();
  return <TokensView />;
}
