'use client';

import { useQuery } from '@tanstack/react-query';
import { parseAsString, parseAsStringLiteral, useQueryState, useQueryStates } from 'nuqs';
import { type ReactNode, createContext, memo, useContext } from 'react';
import { Plug } from 'lucide-react';
import { Button } from '#components/ui/Button.tsx';
import { CodeText } from '#components/ui/CodeText.tsx';
import { EmptyState } from '#components/ui/QueryState.tsx';
import { Select } from '#components/ui/Field.tsx';
import { ServerIcon } from '#components/ui/icons.tsx';
import { ListLink } from '#components/ui/ListLink.tsx';
import { PageHead } from '#components/ui/Panel.tsx';
import { RelativeTime } from '#components/ui/RelativeTime.tsx';
import { SearchField, useSearchText } from '#components/ui/SearchField.tsx';
import { StateBadge } from '#components/ui/Badge.tsx';
import { StateChips } from '#components/ui/FilterChips.tsx';
import { Table, Td, TdNumber, Th, Tr } from '#components/ui/Table.tsx';
import { cx } from '#components/ui/cx.ts';
import { focusNextRow, useVisibleRows } from '#components/ui/use-visible-rows.ts';
import { usePageKeys } from '#components/ui/use-page-keys.ts';
import { lazyPart } from '#components/ui/lazy-part.tsx';
import { lastHourQuery } from '#lib/client/call-stats-queries.ts';
import { locationOf } from '#lib/client/failure-markdown.ts';
import { queries } from '#lib/client/queries.ts';
import { EXTENSION_KINDS, EXTENSION_STATES } from '#lib/contract/states.ts';
import type { Extension } from '#lib/contract/extension.ts';
import type { Failure } from '#lib/contract/failure.ts';
import type { ExtensionOfHour, LastHour } from '#lib/contract/last-hour.ts';
import { PAGES } from '#lib/contract/paths.ts';
import { useMay } from '#lib/client/SessionProvider.tsx';
import {
  CallCounts,
  countStates,
  filterExtensions,
  kindAndRuntimeInWords,
  kindInWords,
  progressInWords,
  sortExtensions,
  StateSentence,
} from './ExtensionState.tsx';
import { NewExtension } from './NewExtension.tsx';

/** The list is prefetched: this is rarely shown. */
const ExtensionsQueryState = lazyPart(async () => (await import('./ExtensionsEmpty.tsx')).ExtensionsQueryState);
const FirstRun = lazyPart(async () => (await import('./ExtensionsEmpty.tsx')).FirstRun);

const FILTER = {
  q: parseAsString.withDefault(''),
  state: parseAsStringLiteral(EXTENSION_STATES),
  kind: parseAsStringLiteral(EXTENSION_KINDS),
};

export function ExtensionsView({ folder }: { folder: string }) {
  const { data } = useQuery(queries.extensions());
  const [q, setQ] = useSearchText('q');
  const [filter, setFilter] = useQueryStates(FILTER, { history: 'replace' });

  if (data === undefined) return <ExtensionsQueryState />;

  const all = data.extensions;
  const own = all.filter((extension) => extension.state !== 'excluded');
  const shown = sortExtensions(filterExtensions(all, { ...filter, q }));
  const kinds = EXTENSION_KINDS.filter((kind) => all.some((extension) => extension.kind === kind));

  const counts = countStates(all);
  return (
    <div className="flex flex-col gap-4">
      <PageHead
        title="Extensions"
        actions={
          <>
            <AddServer />
            <NewExtension />
          </>
        }
        note={
          <span className="tabular">
            {data.loading !== null
              ? progressInWords(data.loading)
              : own.length === 0
                ? 'None yet'
                : sumInWords(
                    own.length,
                    own.reduce((sum, extension) => sum + extension.tools.length, 0),
                  )}
          </span>
        }
      />
      {own.length === 0 && data.loading === null ? <FirstRun folder={folder} watch={data.watch.mode} /> : null}
      {all.length === 0 ? null : (
        <>
          <div className="flex flex-wrap items-center gap-2">
            <SearchField
              label="Search extensions"
              placeholder="Name, tool, description or error"
              value={q}
              onChange={setQ}
              className="w-full sm:w-72"
            />
            {kinds.length < 2 ? null : (
              <Select
                aria-label="Kind"
                className="w-36"
                options={[['', 'All kinds'], ...kinds.map((kind) => [kind, kindInWords(kind)] as const)]}
                value={filter.kind ?? ''}
                onChange={(kind) => void setFilter({ kind: kind || null })}
              />
            )}
            <StateChips
              label="State"
              states={counts.map(({ state }) => state)}
              countOf={(state) => counts.find((each) => each.state === state)?.count}
              value={filter.state}
              onChange={(state) => void setFilter({ state })}
            />
          </div>
          {shown.length === 0 ? (
            <div className="rounded border bg-panel">
              <EmptyState
                title="No matching extensions"
                actions={<Button onClick={() => void setFilter(null)}>Show all {all.length}</Button>}
              >
                {q === '' ? 'No extension has this state and kind.' : `No extension has “${q}” in its name, tools, description or error.`}
              </EmptyState>
            </div>
          ) : (
            <ExtensionTable extensions={shown} />
          )}
        </>
      )}
    </div>
  );
}

function sumInWords(extensions: number, tools: number): string {
  return `${extensions} ${extensions === 1 ? 'extension' : 'extensions'} with ${tools} ${tools === 1 ? 'tool' : 'tools'}`;
}

export function ExtensionTable({ extensions }: { extensions: readonly Extension[] }) {
  const { list, rows } = useVisibleRows<HTMLTableSectionElement, Extension>({
    name: 'extensions',
    items: extensions,
    height: 62,
  });
  usePageKeys({ j: () => focusNextRow(list.current, 1), k: () => focusNextRow(list.current, -1) });
  return (
    <div className="rounded border bg-panel">
      <Table label="Extensions" aria-rowcount={extensions.length + 1} className="table-fixed max-md:block">
        <thead className="max-md:sr-only">
          <tr aria-rowindex={1}>
            <Th className="w-[30%] xl:w-[28%]">Extension</Th>
            <Th>State</Th>
            <Th className="w-32 max-2xl:hidden">Kind</Th>
            <Th className="w-40 xl:w-44" title="5 minutes per bar; failed calls below the line">
              Calls of the last hour
            </Th>
            <Th className="w-16 text-right xl:w-18">Tools</Th>
            <Th className="w-28 text-right max-lg:hidden">Loaded</Th>
          </tr>
        </thead>
        <tbody ref={list} className="max-md:block">
          <HourOfExtensions>
            {rows.map((row) =>
              row.item === null ? (
                <tr key={row.key} aria-hidden style={{ height: row.height }} />
              ) : (
                <Tr
                  key={row.item.id}
                  {...row.props}
                  aria-rowindex={row.index + 2}
                  className="relative max-md:flex max-md:flex-col max-md:gap-1 max-md:py-2"
                >
                  <Cells extension={row.item} />
                </Tr>
              ),
            )}
          </HourOfExtensions>
        </tbody>
      </Table>
    </div>
  );
}

const cell = 'align-top py-2 max-md:block max-md:h-auto max-md:px-4 max-md:py-0';

const Cells = memo(function Cells({ extension }: { extension: Extension }) {
  const quiet = extension.state === 'disabled' || extension.state === 'excluded';
  return (
    <>
      <Td className={cell}>
        <span className="flex min-w-0 items-center gap-2">
          <ServerIcon icons={extension.icons} />
          <ListLink
            href={PAGES.extension(extension.id)}
            title={extension.id}
            className={cx(
              'focus-inset line-clamp-2 rounded-sm text-base [overflow-wrap:anywhere] row-link hover:underline',
              quiet ? 'text-muted' : 'font-medium',
            )}
          >
            {extension.id}
          </ListLink>
        </span>
        {extension.description === '' ? null : (
          <span className="line-clamp-1 break-all text-muted" title={extension.description}>
            <CodeText text={extension.description} />
          </span>
        )}
      </Td>
      <Td className={cell}>
        <span className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1">
          <StateBadge state={extension.state} />
          <StateSentence extension={extension} />
        </span>
        {extension.failure === null || quiet ? null : <FailureReason failure={extension.failure} />}
      </Td>
      <Td className={cx(cell, 'text-muted max-2xl:hidden max-md:hidden')}>{kindAndRuntimeInWords(extension)}</Td>
      <Td className={cx(cell, quiet && 'max-md:hidden')}>{quiet ? null : <CallsOfHour extension={extension.id} />}</Td>
      <TdNumber className={cx(cell, 'max-md:hidden', extension.tools.length === 0 && 'text-muted')}>{extension.tools.length}</TdNumber>
      <TdNumber className={cx(cell, 'text-muted max-lg:hidden max-md:hidden')}>
        {extension.loaded_at === null ? '–' : <RelativeTime time={extension.loaded_at} />}
      </TdNumber>
    </>
  );
});

function FailureReason({ failure }: { failure: Failure }) {
  const place = locationOf(failure);
  return (
    <span className="mt-1 line-clamp-2 [overflow-wrap:anywhere] text-failed" title={failure.error}>
      <CodeText text={failure.message} />
      {place === null ? null : <code className="text-xs text-muted"> {place}</code>}
    </span>
  );
}

interface Hour {
  readonly since: string;
  readonly calls: ReadonlyMap<string, ExtensionOfHour>;
  readonly none: string;
}

const HourContext = createContext<Hour | string>('');

/** A context, so that new counts re-render cells and not rows. */
function HourOfExtensions({ children }: { children: ReactNode }) {
  const { data, error } = useQuery(lastHourQuery());
  return <HourContext value={data === undefined ? (error === null ? 'loading…' : 'not available') : hourOf(data)}>{children}</HourContext>;
}

function hourOf({ since, extensions, called_extensions: called }: LastHour): Hour {
  return {
    since,
    calls: new Map(extensions.map((each) => [each.extension, each])),
    none: extensions.length === called ? 'no calls' : 'few or no calls',
  };
}

const LINK = 'focus-inset relative rounded-sm py-1 text-fg underline-offset-2 hover:underline';

/** Same height without calls, so that the first call shifts nothing. */
function CallsOfHour({ extension }: { extension: string }) {
  const hour = useContext(HourContext);
  const calls = typeof hour === 'string' ? undefined : hour.calls.get(extension);
  return (
    <div className="text-muted md:-mt-1 md:min-h-12">
      <span className="inline-block py-1">
        {typeof hour === 'string' ? (
          hour
        ) : calls === undefined ? (
          hour.none
        ) : (
          <CallCounts
            extension={extension}
            since={hour.since}
            calls={calls.calls}
            failed={calls.failed + calls.timed_out}
            className={LINK}
          />
        )}
      </span>
      <span className="md:hidden"> in the last hour</span>
      {calls === undefined ? null : (
        <div className="max-md:hidden">
          <CallBars calls={calls} />
        </div>
      )}
    </div>
  );
}

const HALF = 8;
const BAR = 5;

/** Nothing for a single interval: a lone bar says no more than the count above it. */
function CallBars({ calls: { interval_calls: all, interval_failures: failures } }: { calls: ExtensionOfHour }) {
  if (all.filter((count) => count > 0).length < 2) return null;
  const max = Math.max(...all);
  const heightOf = (count: number) => Math.max(2, Math.round((count / max) * HALF));
  const bars = (counts: readonly number[], foot: number, up: number) =>
    counts.map((count, at) => (count === 0 ? '' : `M${at * BAR} ${foot}h${BAR - 1}v${up * heightOf(count)}h${1 - BAR}z`)).join('');
  return (
    <svg aria-hidden width={all.length * BAR} height={2 * HALF + 1} className="block">
      <path d={`M0 ${HALF}h${all.length * BAR - 1}v1H0z`} className="fill-line-strong" />
      <path d={bars(all, HALF, -1)} className="fill-muted" />
      <path d={bars(failures, HALF + 1, 1)} className="fill-failed" />
    </svg>
  );
}

const ServersDialog = lazyPart(async () => (await import('./ServersDialog.tsx')).ServersDialog);

/** `?add=server` opens it. */
function AddServer() {
  const mayEdit = useMay('extensions.edit');
  const [added, setAdded] = useQueryState('add', parseAsStringLiteral(['server']));
  if (!mayEdit) return null;
  return (
    <>
      <Button icon={<Plug />} onClick={() => void setAdded('server')}>
        Add MCP server
      </Button>
      {added === null ? null : <ServersDialog onClose={() => setAdded(null)} />}
    </>
  );
}
