'use client';

import { useBrowserValue } from '#components/ui/browser-value.ts';
import { decodedPart } from '#components/ui/decoded-part.ts';
import { EmptyState, QueryState, Skeleton } from '#components/ui/QueryState.tsx';
import { useQuery } from '@tanstack/react-query';
import { useParams, useSearchParams } from 'next/navigation';
import { useState } from 'react';
import { SavedCalls } from '#components/calls/SavedCalls.tsx';
import { drafts } from '#components/tool-form/drafts.ts';
import { LinkButton } from '#components/ui/Button.tsx';
import { hasProblemCode } from '#lib/client/api-problem.ts';
import { queries } from '#lib/client/queries.ts';
import { savedCallQueries } from '#lib/client/saved-call-queries.ts';
import { PAGES } from '#lib/contract/paths.ts';
import { Playground } from './Playground.tsx';
import { argumentsOfCall, argumentsOfSaved } from './loaded-arguments.ts';

/** Shown until the tool loads; then the playground opens with the requested arguments or the saved call that was pressed meanwhile. */
export function AbsentTool({ callTimeoutMs, formWidth }: { callTimeoutMs: number; formWidth: number }) {
  const name = decodedPart(useParams<{ name: string }>().name);
  const searchParams = useSearchParams();
  const [pressed, setPressed] = useState<string | null>(null);
  const from = searchParams.get('from');
  const { data: tool, error, refetch, isFetching } = useQuery(queries.tool(name));
  const { data: list, isPending: isListing } = useQuery(savedCallQueries.list(name));
  const { data: call, isLoading: isReading } = useQuery({ ...queries.call(from ?? ''), enabled: from !== null });
  const isTyped = useBrowserValue(() => drafts.read(name, 'payload') !== null || drafts.needsFetch(name), false);

  const saved = list?.saved_calls.find((one) => one.id === (pressed ?? searchParams.get('saved')));
  const isAbsent = tool === undefined && hasProblemCode(error, 'tool_not_found');
  if (tool !== undefined && !isListing && !isReading) {
    const loaded = saved !== undefined ? argumentsOfSaved(saved) : call?.tool === name ? argumentsOfCall(call) : null;
    return <Playground name={name} loaded={loaded} callTimeoutMs={callTimeoutMs} formWidth={formWidth} />;
  }
  if (!isAbsent)
    return tool !== undefined ? <Skeleton lines={10} /> : <QueryState query={{ error, refetch, isFetching }} what={name} lines={10} />;
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <div className="rounded border bg-panel">
        <EmptyState
          level={1}
          title="Tool not found"
          actions={
            <>
              <LinkButton href={PAGES.extensions}>Show extensions</LinkButton>
              <LinkButton href={`${PAGES.calls}?${new URLSearchParams({ tool: name })}`}>Show calls</LinkButton>
            </>
          }
        >
          No tool is named <span className="font-medium break-all text-fg">{name}</span>: its extension was removed, failed to load, or has
          no such tool. This page updates automatically.
          {isTyped ? ' Your input in this tab is kept.' : null}
        </EmptyState>
      </div>
      {list?.saved_calls.length === 0 ? null : (
        <SavedCalls
          tool={name}
          available={false}
          destructive={false}
          present={null}
          shown={{}}
          result={undefined}
          open={saved?.id ?? null}
          timeout=""
          onLoad={(one) => setPressed(one.id)}
          onRan={nothing}
        />
      )}
    </div>
  );
}

function nothing(): () => void {
  return () => undefined;
}
