import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import { Forbidden } from '#components/accounts/Forbidden.tsx';
import { TokensView } from '#components/accounts/TokensView.tsx';
import { readSession } from '../../../read-session.ts';

export const metadata: Metadata = { title: 'Tokens' };

export default function TokensPage() {
  const { mode, may } = readSession();
  if (mode === 'local') notFound();
  return may.includes('tokens.manage') ? <TokensView /> : <Forbidden needs="admin" />;
}
