import { notFound } from 'next/navigation';
import { AuditView } from '#components/accounts/AuditView.tsx';
import { Forbidden } from '#components/accounts/Forbidden.tsx';
import { readSession, titleWithAccounts } from '../../../read-session.ts';

export const generateMetadata = () => titleWithAccounts('Audit');

export default function AuditPage() {
  const { mode, may, person } = readSession();
  if (mode === 'local') notFound();
  return may.includes('audit.read') ? <AuditView /> : <Forbidden needs="admin" role={person?.role ?? null} />;
}
