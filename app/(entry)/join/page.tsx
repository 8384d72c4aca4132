import { notFound } from 'next/navigation';
import { JoinView } from '#components/accounts/JoinView.tsx';
import { readSession, titleWithAccounts } from '../../read-session.ts';

export const generateMetadata = () => titleWithAccounts('Join');

export default function JoinPage() {
  if (readSession().mode === 'local') notFound();
  return <JoinView />;
}
