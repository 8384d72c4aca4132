import { notFound, redirect } from 'next/navigation';
import { SignInView } from '#components/accounts/SignInView.tsx';
import { returnPath } from '#lib/contract/return-path.ts';
import { readSession, titleWithAccounts } from '../../read-session.ts';

export const generateMetadata = () => titleWithAccounts('Sign in');

interface Props {
  searchParams: Promise<Record<string, string | string[] | undefined>>;
}

export default async function SignInPage({ searchParams }: Props) {
  const { to, problem } = await searchParams;
  const session = readSession();
  if (session.mode === 'local') notFound();
  const target = returnPath(to);
  if (session.person !== null) redirect(target);
  return <SignInView ways={session.sign_in} needsFirstAdmin={session.needs_first_admin} to={target} problem={problem} />;
}
