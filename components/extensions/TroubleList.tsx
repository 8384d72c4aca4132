'use client';

import { useQuery } from '@tanstack/react-query';
import { ArrowRight, CircleCheck } from 'lucide-react';
import Link from 'next/link';
import { Panel } from '#components/ui/Panel.tsx';
import { CodeText } from '#components/ui/CodeText.tsx';
import { ErrorState } from '#components/ui/ErrorState.tsx';
import { Skeleton } from '#components/ui/Skeleton.tsx';
import { StateBadge } from '#components/ui/StateBadge.tsx';
import { messageOf } from '#lib/client/api-problem.ts';
import { placeOf } from '#lib/client/failure-markdown.ts';
import { queries } from '#lib/client/queries.ts';
import type { Extension } from '#lib/contract/extension.ts';
import { PAGES } from '#lib/contract/paths.ts';
import { sortExtensions } from './extension-filter.ts';
import { FirstRun } from './FirstRun.tsx';
import { StateSentence } from './StateSentence.tsx';

/** Is anything wrong? The broken and degraded extensions with reason and way out, or one quiet line. */
export function TroubleList({ folder }: { folder: string }) {
  const { data, error, refetch, isFetching } = useQuery(queries.extensions());
  if (data === undefined) {
    return error === null ? (
      <Skeleton lines={4} label="Reading the extensions…" />
    ) : (
      <ErrorState title="The extensions could not be read" detail={messageOf(error)} onRetry={() => void refetch()} retrying={isFetching} />
    );
  }
  const own = data.extensions.filter((extension) => extension.state !== 'excluded');
  if (own.length === 0) return <FirstRun folder={folder} watch={data.watch.mode} />;
  const trouble = sortExtensions(own.filter((extension) => extension.state === 'failed' || extension.state === 'degraded'));
  if (trouble.length === 0) return <AllWell extensions={own} />;
  return (
    <Panel
      title={trouble.length === 1 ? 'One extension needs you' : `${trouble.length} extensions need you`}
      note={`of ${own.length}`}
      flush
    >
      <ul className="divide-y">
        {trouble.map((extension) => (
          <Trouble key={extension.id} extension={extension} />
        ))}
      </ul>
    </Panel>
  );
}

function Trouble({ extension }: { extension: Extension }) {
  const { failure } = extension;
  const place = failure === null ? null : placeOf(failure);
  return (
    <li className="relative flex flex-col gap-1 px-4 py-3 hover:bg-hover">
      <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <Link
          href={PAGES.extension(extension.id)}
          className="focus-inset min-w-0 rounded-sm font-semibold break-all after:absolute after:inset-0 hover:underline"
        >
          {extension.id}
        </Link>
        <StateBadge state={extension.state} />
        <StateSentence extension={extension} className="text-sm" />
      </span>
      {failure === null ? null : (
        <>
          <span className="flex min-w-0 flex-wrap gap-x-2">
            <span className="line-clamp-2 min-w-0 break-words">{failure.message}</span>
            {place === null ? null : <code className="text-sm break-all text-muted">{place}</code>}
          </span>
          <span className="flex items-start gap-1.5 text-sm text-muted">
            <ArrowRight aria-hidden className="mt-0.5 size-3.5 shrink-0" />
            <span className="foreign line-clamp-2 min-w-0">
              <CodeText text={failure.hint} />
            </span>
          </span>
        </>
      )}
    </li>
  );
}

function AllWell({ extensions }: { extensions: readonly Extension[] }) {
  const running = extensions.filter((extension) => extension.state === 'ready');
  const tools = running.reduce((sum, extension) => sum + extension.tools.length, 0);
  const loading = extensions.filter((extension) => extension.state === 'loading').length;
  const off = extensions.filter((extension) => extension.state === 'disabled').length;
  return (
    <p className="tabular flex items-center gap-2 px-1">
      <CircleCheck aria-hidden className="size-4 shrink-0 text-ok" />
      <span>
        All well: {running.length} {running.length === 1 ? 'extension serves' : 'extensions serve'} {tools} {tools === 1 ? 'tool' : 'tools'}
        {loading === 0 ? '' : `, ${loading} being loaded`}
        {off === 0 ? '' : `, ${off} switched off by hand`}.
      </span>
    </p>
  );
}
