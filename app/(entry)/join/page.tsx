import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import { JoinView } from '#components/accounts/JoinView.tsx';
import { readSession } from '../../read-session.ts';

export const metadata: Metadata = { title: 'Join' };

export default function JoinPage() {
  if (readSession().mode === 'local') notFound();
  return <JoinView />;
}
