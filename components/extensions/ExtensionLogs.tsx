'use client';

import { parseAsStringLiteral, useQueryState } from 'nuqs';
import { cx } from '#components/ui/cx.ts';
import { EmptyState } from '#components/ui/EmptyState.tsx';
import { FilterChips } from '#components/ui/FilterChips.tsx';
import { ClockTime } from '#components/ui/RelativeTime.tsx';
import type { ExtensionLogLine } from '#lib/contract/extension.ts';

const LEVELS = ['error', 'warn', 'info', 'debug'] as const;
const WORDS = { error: 'Error', warn: 'Warning', info: 'Info', debug: 'Debug' } as const;
const LOOK = { error: 'text-failed', warn: 'text-degraded', info: 'text-muted', debug: 'text-muted' } as const;

/** What the extension printed and what the host noted about it, newest first. */
export function ExtensionLogs({ lines, truncated }: { lines: readonly ExtensionLogLine[]; truncated: boolean }) {
  const [level, setLevel] = useQueryState('level', parseAsStringLiteral(LEVELS));
  if (lines.length === 0) {
    return (
      <EmptyState title="Nothing printed yet">
        What the extension prints, logs with ctx.log or throws outside of a call appears here.
      </EmptyState>
    );
  }
  const shown = withKeys(lines)
    .filter(({ line }) => level === null || line.level === level)
    .toReversed();
  return (
    <div className="flex flex-col">
      <div className="flex flex-wrap items-center gap-2 border-b px-4 py-2">
        <FilterChips
          label="Level"
          value={level}
          onChange={(next) => void setLevel(next)}
          options={LEVELS.map((each) => ({
            value: each,
            label: WORDS[each],
            count: lines.filter((line) => line.level === each).length,
          })).filter(({ count }) => count > 0)}
        />
        <span className="text-xs text-muted">Newest first</span>
      </div>
      <div tabIndex={0} role="region" aria-label="Log lines" className="focus-inset max-h-[65dvh] overflow-y-auto py-1">
        <ol>
          {shown.map(({ line, key }) => (
            <li
              key={key}
              className="grid grid-cols-[5.5rem_4rem_minmax(0,1fr)] gap-x-2 px-4 py-0.5 text-sm hover:bg-hover max-sm:grid-cols-[auto_1fr] max-sm:py-1"
            >
              <ClockTime time={line.time} className="text-xs leading-5 text-muted" />
              <span className={cx('text-xs leading-5 font-medium', LOOK[line.level])}>{WORDS[line.level]}</span>
              <code className="foreign min-w-0 leading-5 max-sm:col-span-2">
                {line.stream === 'host' ? <span className="mr-2 font-sans text-xs text-muted">Noted by the server:</span> : null}
                {line.message}
              </code>
            </li>
          ))}
        </ol>
      </div>
      {truncated ? <p className="border-t px-4 py-2 text-xs text-muted">Older lines were dropped; the newest 64 KiB are kept.</p> : null}
    </div>
  );
}

/** A line is known by its time and its place among the lines of that moment, which stay as older lines are dropped. */
function withKeys(lines: readonly ExtensionLogLine[]): readonly { readonly line: ExtensionLogLine; readonly key: string }[] {
  const seen = new Map<string, number>();
  return lines.map((line) => {
    const before = seen.get(line.time) ?? 0;
    seen.set(line.time, before + 1);
    return { line, key: `${line.time} ${before}` };
  });
}
