'use client';

import { QueryState } from '#components/ui/QueryState.tsx';
import { useQuery } from '@tanstack/react-query';
import { ArrowRight, CircleCheck, Pin } from 'lucide-react';
import { ListLink } from '#components/ui/ListLink.tsx';
import { Panel } from '#components/ui/Panel.tsx';
import { CodeText } from '#components/ui/CodeText.tsx';
import { StateBadge, STATES, StateText } from '#components/ui/Badge.tsx';
import { VisibleItems } from '#components/ui/stable-rows.tsx';
import { useVisibleRows } from '#components/ui/use-visible-rows.ts';
import { locationOf } from '#lib/client/failure-markdown.ts';
import { queries } from '#lib/client/queries.ts';
import type { Extension, ExtensionState, StartProgress } from '#lib/contract/extension.ts';
import { PAGES } from '#lib/contract/paths.ts';
import { countStates, progressInWords, sortExtensions, StateSentence } from './ExtensionState.tsx';
import { NewExtension } from './NewExtension.tsx';
import { lazyPart } from '#components/ui/lazy-part.tsx';

const FirstRun = lazyPart(async () => (await import('./ExtensionsEmpty.tsx')).FirstRun);

export function TroubleList({ folder }: { folder: string }) {
  const { data, error, refetch, isFetching } = useQuery(queries.extensions());
  if (data === undefined) return <QueryState query={{ error, refetch, isFetching }} what="the extensions" lines={4} />;
  const own = data.extensions.filter((extension) => extension.state !== 'excluded');
  if (own.length === 0 && data.loading === null) return <FirstRun folder={folder} watch={data.watch.mode} actions={<NewExtension />} />;
  const trouble = sortExtensions(own.filter((extension) => extension.state === 'failed' || extension.state === 'degraded'));
  const pinned = own.filter((extension) => extension.pinned_revision !== null && !trouble.includes(extension));
  return (
    <>
      {trouble.length === 0 ? (
        <AllHealthy extensions={own} loading={data.loading} />
      ) : (
        <Panel
          title={trouble.length === 1 ? '1 extension needs attention' : `${trouble.length} extensions need attention`}
          note={<ListLink href={PAGES.extensions}>of {own.length}</ListLink>}
          actions={<StateCounts extensions={trouble} />}
          flush
        >
          <Troubles extensions={trouble} />
        </Panel>
      )}
      {pinned.length === 0 ? null : <PinnedList extensions={pinned} />}
    </>
  );
}

function StateCounts({ extensions }: { extensions: readonly Extension[] }) {
  return countStates(extensions).map(({ state, count }) => (
    <ListLink key={state} href={extensionsAddress(state)} className="rounded-sm not-first:ml-2 hover:underline">
      <StateText state={state} word={`${count} ${STATES[state].word.toLowerCase()}`} className="tabular text-sm" />
    </ListLink>
  ));
}

function PinnedList({ extensions }: { extensions: readonly Extension[] }) {
  return (
    <Panel title={extensions.length === 1 ? '1 extension is pinned' : `${extensions.length} extensions are pinned`} flush>
      <ul className="divide-y text-sm">
        {extensions.map((extension) => (
          <li key={extension.id} className="relative flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2 hover:bg-hover">
            <Pin className="size-3.5 shrink-0 text-muted" />
            <ListLink
              href={`${PAGES.extension(extension.id)}?tab=revisions`}
              className="focus-inset min-w-0 rounded-sm font-semibold break-all row-link hover:underline"
            >
              {extension.id}
            </ListLink>
            <StateSentence extension={extension} />
            <span className="text-muted">Saved files are not served until it is unpinned.</span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function Troubles({ extensions }: { extensions: readonly Extension[] }) {
  const { list, rows } = useVisibleRows<HTMLUListElement, Extension>({
    name: 'extensions that need attention',
    items: extensions,
    height: 93,
  });
  return (
    <ul ref={list} className="divide-y">
      <VisibleItems rows={rows} size={extensions.length}>
        {(extension, place) => (
          <li {...place} className="relative flex flex-col gap-1 px-4 py-3 hover:bg-hover">
            <Trouble extension={extension} />
          </li>
        )}
      </VisibleItems>
    </ul>
  );
}

function Trouble({ extension }: { extension: Extension }) {
  const { failure } = extension;
  const place = failure === null ? null : locationOf(failure);
  return (
    <>
      <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <ListLink
          href={PAGES.extension(extension.id)}
          className="focus-inset min-w-0 rounded-sm font-semibold break-all row-link hover:underline"
        >
          {extension.id}
        </ListLink>
        <StateBadge state={extension.state} />
        <StateSentence extension={extension} className="text-sm" />
      </span>
      {failure === null ? null : (
        <>
          <span className="flex min-w-0 flex-wrap gap-x-2">
            <span className="line-clamp-5 min-w-0 break-words sm:line-clamp-2">
              <CodeText text={failure.message} />
            </span>
            {place === null ? null : <code className="text-sm break-all text-muted">{place}</code>}
          </span>
          <span className="flex items-start gap-2 text-sm text-muted">
            <ArrowRight className="h-lh w-3.5 shrink-0" />
            <span className="foreign line-clamp-8 min-w-0 sm:line-clamp-2">
              <CodeText text={failure.hint} />
            </span>
          </span>
        </>
      )}
    </>
  );
}

function AllHealthy({ extensions, loading: progress }: { extensions: readonly Extension[]; loading: StartProgress | null }) {
  if (progress !== null) return <p className="tabular px-1">{progressInWords(progress)}</p>;
  const running = extensions.filter((extension) => extension.state === 'ready');
  const tools = running.reduce((sum, extension) => sum + extension.tools.length, 0);
  const loading = extensions.filter((extension) => extension.state === 'loading').length;
  const off = extensions.filter((extension) => extension.state === 'disabled').length;
  return (
    <p className="tabular flex items-center gap-2 px-1">
      <CircleCheck className="size-4 shrink-0 text-ok" />
      <span className="[&_a]:rounded-sm [&_a]:underline-offset-2 [&_a]:hover:underline">
        All well:{' '}
        <ListLink href={extensionsAddress('ready')}>
          {running.length} {running.length === 1 ? 'extension serves' : 'extensions serve'}
        </ListLink>{' '}
        <ListLink href={PAGES.tools}>
          {tools} {tools === 1 ? 'tool' : 'tools'}
        </ListLink>
        {loading === 0 ? null : <>, {loading} being loaded</>}
        {off === 0 ? null : (
          <>
            , <ListLink href={extensionsAddress('disabled')}>{off} switched off</ListLink>
          </>
        )}
        .
      </span>
    </p>
  );
}

function extensionsAddress(state: ExtensionState): string {
  return `${PAGES.extensions}?state=${state}`;
}
