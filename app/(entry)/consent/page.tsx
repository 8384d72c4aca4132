import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import { ConsentView } from '#components/accounts/ConsentView.tsx';
import { readSession } from '../../read-session.ts';

export const metadata: Metadata = { title: 'Connect a client' };

interface Props {
  searchParams: Promise<Record<string, string | string[] | undefined>>;
}

export default async function ConsentPage({ searchParams }: Props) {
  const { mode, person } = readSession();
  if (mode === 'local' || person === null) notFound();
  const given = Object.entries(await searchParams).flatMap(([name, values]) => [values ?? []].flat().map((value) => [name, value]));
  return <ConsentView search={new URLSearchParams(given).toString()} person={person.name} />;
}
