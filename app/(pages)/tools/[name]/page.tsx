import { dehydrate, HydrationBoundary } from '@tanstack/react-query';
import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import { visibleText } from '#components/ui/visible-text.ts';
import { firstPage, queries } from '#lib/client/queries.ts';
import { createQueryClient } from '#lib/client/query-client.ts';
import { savedCallQueries } from '#lib/client/saved-call-queries.ts';
import { callFilterSchema } from '#lib/contract/call.ts';
import { currentHost } from '#lib/host/current-host.ts';
import { type LoadedArguments, argumentsOfCall, argumentsOfSaved } from '#components/playground/loaded-arguments.ts';
import { Playground } from '#components/playground/Playground.tsx';
import { readFormWidth } from '../../../read-cookies.ts';

const RECENT = 12;

interface Props {
  params: Promise<{ name: string }>;
  searchParams: Promise<Record<string, string | string[] | undefined>>;
}

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  return { title: visibleText(decodeURIComponent((await params).name)) };
}

export default async function ToolPage({ params, searchParams }: Props) {
  const name = decodeURIComponent((await params).name);
  const { from, saved } = await searchParams;
  const host = currentHost();
  const tool = host.tools.get(name);
  if (!tool.ok) notFound();

  const client = createQueryClient();
  client.setQueryData(queries.tool(name).queryKey, tool.value);
  const recent = await host.calls.list(callFilterSchema.parse({ tool: name, limit: RECENT }));
  if (recent.ok) client.setQueryData(queries.calls({ tool: name }, RECENT).queryKey, firstPage(recent.value));
  client.setQueryData(savedCallQueries.list(name).queryKey, await host.savedCalls.list(name));
  return (
    <HydrationBoundary state={dehydrate(client)}>
      <Playground
        key={name}
        name={name}
        loaded={await loadedFrom(host, name, from, saved)}
        callTimeoutMs={host.config.callTimeoutMs}
        formWidth={await readFormWidth()}
      />
    </HydrationBoundary>
  );
}

/** Arguments of a saved call or of a past call; an unknown id loads nothing. */
async function loadedFrom(
  host: ReturnType<typeof currentHost>,
  tool: string,
  from: unknown,
  saved: unknown,
): Promise<LoadedArguments | null> {
  const kept = typeof saved === 'string' ? await host.savedCalls.get(saved) : null;
  if (kept?.ok === true && kept.value.tool === tool) return argumentsOfSaved(kept.value);
  const call = typeof from === 'string' ? await host.calls.get(from) : null;
  return call?.ok === true && call.value.tool === tool ? argumentsOfCall(call.value) : null;
}
