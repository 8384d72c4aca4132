'use client';

import { useQuery } from '@tanstack/react-query';
import { ArrowDown, Pause, Play } from 'lucide-react';
import { parseAsString, parseAsStringLiteral, useQueryStates } from 'nuqs';
import { useLayoutEffect, useRef, useState } from 'react';
import { Button } from '#components/ui/Button.tsx';
import { CopyButton } from '#components/ui/CopyButton.tsx';
import { EmptyState } from '#components/ui/EmptyState.tsx';
import { ErrorState } from '#components/ui/ErrorState.tsx';
import { FilterChips } from '#components/ui/FilterChips.tsx';
import { SearchField } from '#components/ui/SearchField.tsx';
import { Skeleton } from '#components/ui/Skeleton.tsx';
import { messageOf } from '#lib/client/api-problem.ts';
import { extensionLogQuery } from '#lib/client/extension-queries.ts';
import { countLevels, filterLog, logAsText } from './log-filter.ts';
import { LEVEL_WORDS, LogRow } from './LogRow.tsx';

const LEVELS = ['error', 'warn', 'info', 'debug'] as const;
const FILTER = { level: parseAsStringLiteral(LEVELS), find: parseAsString.withDefault('') };
/** So near to the end still counts as being there. */
const AT_END_PX = 24;

/**
 * What the extension printed and what the server noted about it, newest at the foot, as it comes. Whoever reads further up, or
 * has paused, is left where he is: what has come is counted on the button that leads to it.
 */
export function ExtensionLogs({ id }: { id: string }) {
  const { data, error, refetch, isFetching } = useQuery(extensionLogQuery(id));
  const [{ level, find }, setFilter] = useQueryStates(FILTER, { history: 'replace' });
  const [pausedAt, setPausedAt] = useState<number | null>(null);
  const [readTo, setReadTo] = useState<number | null>(null);
  const box = useRef<HTMLDivElement>(null);

  const all = data?.entries ?? [];
  const newest = all.at(-1)?.number ?? 0;
  const shown = filterLog(pausedAt === null ? all : all.filter(({ number }) => number <= pausedAt), level, find);
  const unseenFrom = pausedAt ?? readTo;
  const unseen =
    unseenFrom === null ? 0 : filterLog(all, level, find).filter(({ kind, number }) => kind === 'line' && number > unseenFrom).length;
  const follows = readTo === null;
  const last = shown.at(-1)?.number ?? 0;

  useLayoutEffect(() => {
    if (follows && box.current !== null) box.current.scrollTop = box.current.scrollHeight;
  }, [follows, last, level, find]);

  if (data === undefined) {
    return error === null ? (
      <Skeleton lines={8} label="Reading the log…" className="p-4" />
    ) : (
      <ErrorState
        className="m-4"
        title="The log could not be read"
        detail={messageOf(error)}
        onRetry={() => void refetch()}
        retrying={isFetching}
      />
    );
  }
  if (all.length === 0) {
    return (
      <EmptyState title="Nothing printed yet">
        What the extension prints, logs with ctx.log or throws outside of a call appears here as it comes.
      </EmptyState>
    );
  }

  const counts = countLevels(all);
  return (
    <div className="flex flex-col">
      <div className="flex flex-wrap items-center gap-2 border-b px-4 py-2">
        <SearchField
          isLandmark={false}
          label="Search the log"
          placeholder="Search the log"
          value={find}
          onChange={(next) => void setFilter({ find: next === '' ? null : next })}
          className="w-full sm:w-56"
        />
        <FilterChips
          label="Level"
          value={level}
          onChange={(next) => void setFilter({ level: next })}
          options={LEVELS.map((each) => ({ value: each, label: LEVEL_WORDS[each], count: counts.get(each) ?? 0 })).filter(
            ({ count, value }) => count > 0 || value === level,
          )}
        />
        <span className="ml-auto flex items-center gap-2">
          <CopyButton words text={() => logAsText(shown)} label="Copy" />
          <Button
            size="sm"
            icon={pausedAt === null ? <Pause aria-hidden /> : <Play aria-hidden />}
            onClick={() => setPausedAt(pausedAt === null ? newest : null)}
          >
            {pausedAt === null ? 'Pause' : 'Resume'}
          </Button>
        </span>
      </div>
      <div className="relative min-w-0">
        <div
          ref={box}
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
            <p className="px-4 py-6 text-center text-muted">No line fits. Empty the search or choose another level.</p>
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
            icon={<ArrowDown aria-hidden />}
            onClick={() => {
              setPausedAt(null);
              setReadTo(null);
              if (box.current !== null) box.current.scrollTop = box.current.scrollHeight;
            }}
          >
            {unseen === 0 ? 'Jump to the newest' : `Jump to the newest, ${unseen} new`}
          </Button>
        )}
      </div>
      <p className="flex flex-wrap gap-x-3 border-t px-4 py-2 text-xs text-muted">
        <span>{pausedAt === null ? 'New lines appear at the foot within a second.' : 'Paused: new lines are read, and wait.'}</span>
        {error === null ? null : <span className="text-failed">Not up to date: {messageOf(error)}</span>}
      </p>
    </div>
  );
}
