'use client';

import { EmptyState, QueryState } from '#components/ui/QueryState.tsx';
import { useQuery } from '@tanstack/react-query';
import { ArrowDown, Pause, Play } from 'lucide-react';
import Link from 'next/link';
import { parseAsStringLiteral, useQueryState } from 'nuqs';
import { memo, useLayoutEffect, useRef, useState } from 'react';
import { Button } from '#components/ui/Button.tsx';
import { CopyButton } from '#components/ui/CopyButton.tsx';
import { FilterChips } from '#components/ui/FilterChips.tsx';
import { ClockTime } from '#components/ui/RelativeTime.tsx';
import { SearchField, useSearchText } from '#components/ui/SearchField.tsx';
import { cx } from '#components/ui/cx.ts';
import { messageOf } from '#lib/client/api-problem.ts';
import { type LogEntry, extensionLogQuery } from '#lib/client/extension-queries.ts';
import type { LogLevel } from '#lib/contract/call.ts';
import { PAGES } from '#lib/contract/paths.ts';

/** Markers between lines are kept unless there is a search. */
export function filterLog(entries: readonly LogEntry[], level: LogLevel | null, search: string): readonly LogEntry[] {
  const words = search
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  if (level === null && words.length === 0) return entries;
  return entries.filter((entry) => {
    if (entry.kind !== 'line') return words.length === 0;
    if (level !== null && entry.line.level !== level) return false;
    const text = entry.line.message.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

export function countLevels(entries: readonly LogEntry[]): ReadonlyMap<LogLevel, number> {
  const counts = new Map<LogLevel, number>();
  for (const entry of entries) if (entry.kind === 'line') counts.set(entry.line.level, (counts.get(entry.line.level) ?? 0) + 1);
  return counts;
}

export function logAsText(entries: readonly LogEntry[]): string {
  return entries
    .map((entry) => {
      if (entry.kind === 'revision') return `--- revision ${entry.revision ?? 'none'} ---`;
      if (entry.kind === 'dropped') return `--- ${entry.count} lines dropped ---`;
      return `${entry.line.time} ${entry.line.level} ${entry.line.message}`;
    })
    .join('\n');
}

const LEVELS = ['error', 'warn', 'info', 'debug'] as const;
/** Distance from the end that still counts as being at the end. */
const AT_END_PX = 24;

export function ExtensionLogs({ id }: { id: string }) {
  const { data, error, refetch, isFetching } = useQuery(extensionLogQuery(id));
  const [level, setLevel] = useQueryState('level', parseAsStringLiteral(LEVELS));
  const [find, setFind] = useSearchText('find');
  const [pausedAt, setPausedAt] = useState<number | null>(null);
  const [readTo, setReadTo] = useState<number | null>(null);
  const scroller = useRef<HTMLDivElement>(null);

  const all = data?.entries ?? [];
  const newest = all.at(-1)?.number ?? 0;
  const shown = filterLog(pausedAt === null ? all : all.filter(({ number }) => number <= pausedAt), level, find);
  const unseenFrom = pausedAt ?? readTo;
  const unseen =
    unseenFrom === null ? 0 : filterLog(all, level, find).filter(({ kind, number }) => kind === 'line' && number > unseenFrom).length;
  const follows = readTo === null;
  const last = shown.at(-1)?.number ?? 0;

  useLayoutEffect(() => {
    if (follows && scroller.current !== null) scroller.current.scrollTop = scroller.current.scrollHeight;
  }, [follows, last, level, find]);

  if (data === undefined) return <QueryState query={{ error, refetch, isFetching }} what="the log" lines={8} inset />;
  if (all.length === 0) {
    return <EmptyState title="No output yet">Output, ctx.log lines and errors outside of calls appear here live.</EmptyState>;
  }

  const counts = countLevels(all);
  return (
    <div className="flex flex-col">
      <div className="flex flex-wrap items-center gap-2 border-b px-4 py-2">
        <SearchField
          isLandmark={false}
          label="Search log"
          placeholder="Search log"
          value={find}
          onChange={setFind}
          className="w-full sm:w-56"
        />
        <FilterChips
          label="Level"
          value={level}
          onChange={(next) => void setLevel(next)}
          options={LEVELS.map((each) => ({ value: each, label: LEVEL_WORDS[each], count: counts.get(each) ?? 0 })).filter(
            ({ count, value }) => count > 0 || value === level,
          )}
        />
        <span className="ml-auto flex items-center gap-2">
          <CopyButton words text={() => logAsText(shown)} label="Copy" />
          <Button size="sm" icon={pausedAt === null ? <Pause /> : <Play />} onClick={() => setPausedAt(pausedAt === null ? newest : null)}>
            {pausedAt === null ? 'Pause' : 'Resume'}
          </Button>
        </span>
      </div>
      <div className="relative min-w-0">
        <div
          ref={scroller}
          tabIndex={0}
          role="region"
          aria-label="Log lines"
          className="focus-inset max-h-[65dvh] overflow-y-auto py-1"
          onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
            const atEnd = scrollHeight - scrollTop - clientHeight <= AT_END_PX;
            setReadTo((before) => (atEnd ? null : (before ?? last)));
          }}
        >
          {shown.length === 0 ? (
            <p className="px-4 py-6 text-center text-muted">No matching lines. Clear the search or choose another level.</p>
          ) : (
            <ol>
              {shown.map((entry) => (
                <LogRow key={entry.number} entry={entry} />
              ))}
            </ol>
          )}
        </div>
        {follows && pausedAt === null ? null : (
          <Button
            size="sm"
            className="absolute right-4 bottom-3 shadow-overlay"
            icon={<ArrowDown />}
            onClick={() => {
              setPausedAt(null);
              setReadTo(null);
              if (scroller.current !== null) scroller.current.scrollTop = scroller.current.scrollHeight;
            }}
          >
            {unseen === 0 ? 'Jump to latest' : `Jump to latest, ${unseen} new`}
          </Button>
        )}
      </div>
      <p className="flex flex-wrap gap-x-3 border-t px-4 py-2 text-xs text-muted">
        <span>{pausedAt === null ? 'New lines appear at the bottom.' : 'Paused'}</span>
        {error === null ? null : <span className="text-failed">Not updating: {messageOf(error)}</span>}
      </p>
    </div>
  );
}

export const LEVEL_WORDS = { error: 'Error', warn: 'Warning', info: 'Info', debug: 'Debug' } as const satisfies Record<LogLevel, string>;
const LEVEL_COLORS = { error: 'text-failed', warn: 'text-degraded', info: 'text-muted', debug: 'text-muted' } as const;

/** Memoized: the tail keeps thousands of rows. */
export const LogRow = memo(function LogRow({ entry }: { entry: LogEntry }) {
  if (entry.kind !== 'line') {
    return (
      <li className="my-1 border-y bg-subtle px-4 py-1 text-xs text-muted">
        {entry.kind === 'revision'
          ? entry.revision === null
            ? 'Not serving from here on'
            : `Revision ${entry.revision} from here on`
          : `${entry.count} ${entry.count === 1 ? 'line was' : 'lines were'} dropped; only the newest 64 KiB are stored`}
      </li>
    );
  }
  const { line } = entry;
  return (
    <li className="grid grid-cols-[7.25rem_4rem_minmax(0,1fr)_auto] gap-x-2 px-4 py-0.5 text-sm hover:bg-hover max-sm:grid-cols-[auto_1fr_auto] max-sm:py-1">
      <ClockTime time={line.time} className="text-xs leading-5 whitespace-nowrap text-muted" />
      <span className={cx('text-xs leading-5 font-medium', LEVEL_COLORS[line.level])}>{LEVEL_WORDS[line.level]}</span>
      <code className="foreign min-w-0 leading-5 max-sm:order-last max-sm:col-span-3">
        {line.stream === 'host' ? <span className="mr-2 font-sans text-xs text-muted">Server:</span> : null}
        {line.message}
      </code>
      {line.call_id === null ? null : (
        <Link href={PAGES.call(line.call_id)} className="link text-xs leading-5 text-muted">
          call<span className="sr-only"> in which it was logged</span>
        </Link>
      )}
    </li>
  );
});
