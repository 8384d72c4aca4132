'use client';

import { useEffect, useRef } from 'react';
import { cx } from '#components/ui/cx.ts';
import { TimeText } from '#components/ui/RelativeTime.tsx';
import type { Call, CallLog, LogLevel } from '#lib/contract/call.ts';
import { offsetInWords } from './call-words.ts';
import { AnsiText } from './result/AnsiText.tsx';

const LOOK: Record<LogLevel, string> = { debug: 'text-muted', info: 'text-running', warn: 'text-degraded', error: 'text-failed' };

/** What a call logged, line by line on the time of the call. A running call keeps its newest line in sight. */
export function CallLogView({ call }: { call: Call }) {
  const box = useRef<HTMLDivElement>(null);
  const atEnd = useRef(true);
  const running = call.status === 'running';
  const count = call.logs.length;

  useEffect(() => {
    const element = box.current;
    if (running && element !== null && atEnd.current) element.scrollTop = element.scrollHeight;
  }, [running, count]);

  if (count === 0) {
    return (
      <p className="px-1 py-6 text-center text-sm text-muted">
        {running ? 'Nothing logged yet.' : 'This call logged nothing. A tool writes here with ctx.log.info("…").'}
      </p>
    );
  }
  const start = Date.parse(call.started_at);
  const last = Date.parse(call.logs.at(-1)?.time ?? call.started_at) - start;
  const span = Math.max(1, call.duration_ms ?? last);
  return (
    <div className="@container flex min-w-0 flex-col gap-1">
      {call.logs_truncated ? <p className="text-xs text-muted">Only the newest lines are kept.</p> : null}
      <div
        ref={box}
        tabIndex={0}
        role="region"
        aria-label="Log of the call"
        onScroll={(event) => {
          const { scrollTop, scrollHeight, clientHeight } = event.currentTarget;
          atEnd.current = scrollHeight - scrollTop - clientHeight < 24;
        }}
        className="focus-inset max-h-[60dvh] overflow-auto rounded border bg-subtle py-1.5 font-mono text-sm leading-5"
      >
        {[...call.logs.entries()].map(([place, line]) => (
          <LogLine key={place} line={line} offset={Date.parse(line.time) - start} span={span} />
        ))}
      </div>
    </div>
  );
}

function LogLine({ line, offset, span }: { line: CallLog; offset: number; span: number }) {
  const at = Math.min(1, Math.max(0, offset / span));
  return (
    <div className="flex min-w-0 gap-2.5 px-3 hover:bg-hover @max-md:flex-wrap @max-md:gap-y-0">
      <TimeText time={line.time} className="w-16 shrink-0 text-right text-xs leading-5 text-muted">
        {offsetInWords(offset)}
      </TimeText>
      <svg aria-hidden viewBox="0 0 64 20" className="h-5 w-16 shrink-0 @max-xl:hidden">
        <line x1="2" x2="62" y1="10" y2="10" className="stroke-line-strong" strokeWidth="1" />
        <circle cx={2 + at * 60} cy="10" r="2.5" className={cx('fill-current', LOOK[line.level])} />
      </svg>
      <span className={cx('w-10 shrink-0', LOOK[line.level], line.level !== 'info' && line.level !== 'debug' && 'font-medium')}>
        {line.level}
      </span>
      <span className="foreign min-w-0 flex-1 @max-md:basis-full">
        <AnsiText text={line.message} />
        {line.data === null ? null : <span className="text-muted"> {JSON.stringify(line.data)}</span>}
      </span>
    </div>
  );
}
