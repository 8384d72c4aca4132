import { dehydrate, HydrationBoundary } from '@tanstack/react-query';
import type { Metadata } from 'next';
import { previewOf } from '#components/calls/call-words.ts';
import { ChooseCall, CompareCalls } from '#components/calls/CompareCalls.tsx';
import { queries } from '#lib/client/queries.ts';
import { createQueryClient } from '#lib/client/query-client.ts';
import { currentHost } from '#lib/host/current-host.ts';

export const metadata: Metadata = { title: 'Compare two calls' };

interface Props {
  searchParams: Promise<Record<string, string | string[] | undefined>>;
}

export default async function ComparePage({ searchParams }: Props) {
  const { a, b } = await searchParams;
  if (typeof a !== 'string' || a === '') return <NothingChosen />;
  const other = typeof b === 'string' && b !== '' ? b : null;
  const client = createQueryClient();
  for (const id of [a, ...(other === null ? [] : [other])]) {
    const call = await currentHost().calls.get(id);
    if (call.ok && previewOf(call.value) === null) client.setQueryData(queries.call(id).queryKey, call.value);
  }
  return (
    <HydrationBoundary state={dehydrate(client)}>
      <CompareCalls a={a} b={other} />
    </HydrationBoundary>
  );
}

function NothingChosen() {
  return (
    <ChooseCall title="No calls selected">
      Open a call and press Compare to see its arguments, outcome, logs and duration beside another call.
    </ChooseCall>
  );
}
