'use client';

import { CircleMinus, CircleStop, CircleX } from 'lucide-react';
import { type CSSProperties, useEffect, useMemo, useRef, useState } from 'react';
import { Button } from '#components/ui/Button.tsx';
import { CodeInText, ShowAllButton } from '#components/ui/CodeText.tsx';
import { CodeBlock } from '#components/ui/CodeBlock.tsx';
import { CopyButton } from '#components/ui/CopyButton.tsx';
import { TransientButton } from '#components/ui/TransientButton.tsx';
import { ProblemLine } from '#components/ui/ProblemLine.tsx';
import { Duration, RunningDuration, TimeText } from '#components/ui/RelativeTime.tsx';
import { StateText } from '#components/ui/Badge.tsx';
import { Tabs } from '#components/ui/Tabs.tsx';
import { cx } from '#components/ui/cx.ts';
import { inThousands } from '#components/ui/numbers.ts';
import { pointerInWords } from '#components/ui/pointer-words.ts';
import { escapeInvisible } from '#components/ui/visible-text.ts';
import { useMay } from '#lib/client/SessionProvider.tsx';
import { useCancelCall } from '#lib/client/mutations.ts';
import type { Call, CallError, CallLog, CallProgress as Progress, LogLevel } from '#lib/contract/call.ts';
import { errorWords, furtherData, jsonText, leadOf, offsetInWords } from './call-words.ts';
import { AnsiText, withoutAnsi } from './result/AnsiText.tsx';
import { LazyAgentView, LazyResultView } from './result/LazyResultView.tsx';

const ROW_PX = 20;
const HEAD_PX = 112;

/** Expected height of a result, reserved while its view loads; null for one line. */
export function reservedHeight(value: unknown): string | null {
  if (typeof value !== 'object' || value === null) return null;
  return `min(${HEAD_PX + rowsIn(value, 100) * ROW_PX}px, calc(60dvh + ${HEAD_PX}px))`;
}

function rowsIn(value: unknown, max: number): number {
  if (typeof value !== 'object' || value === null) return 1;
  let rows = 1;
  for (const member of Object.values(value)) {
    if (rows >= max) return max;
    rows += rowsIn(member, max - rows);
  }
  return Math.min(rows, max);
}

export function CallStatusLine({ call }: { call: Call }) {
  const mayCancel = useMay('calls.cancel');
  return (
    <div tabIndex={-1} className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1 rounded-sm">
      <StateText state={call.status} />
      <span className="tabular text-sm text-muted">
        {call.status === 'running' ? <RunningDuration since={call.started_at} /> : <Duration ms={call.duration_ms} />}
      </span>
      {call.status === 'running' && mayCancel ? <CancelButton id={call.id} /> : null}
    </div>
  );
}

function CancelButton({ id }: { id: string }) {
  const cancel = useCancelCall();
  return (
    <>
      <TransientButton
        focusFallback="[tabindex]"
        size="sm"
        icon={<CircleStop />}
        pending={cancel.isPending}
        onClick={() => cancel.mutate(id)}
      >
        {cancel.isPending ? 'Cancelling…' : 'Cancel'}
      </TransientButton>
      <ProblemLine error={cancel.error} />
    </>
  );
}

export function CallOutcome({ call }: { call: Call }) {
  const failed = call.error !== null;
  return (
    <div className="flex min-w-0 flex-col gap-3">
      {call.status === 'running' && call.progress !== null ? <CallProgress progress={call.progress} /> : null}
      <Tabs
        label="Outcome of the call"
        contentClassName="pt-3"
        tabs={[
          {
            id: 'result',
            label: failed && call.status !== 'cancelled' ? 'Error' : 'Result',
            content:
              failed && call.error !== null ? (
                <CallErrorView error={call.error} fileParts={[call.tool, call.id, 'error']} />
              ) : (
                <ResultOf call={call} />
              ),
          },
          {
            id: 'logs',
            label: 'Logs',
            note: call.logs.length === 0 ? null : call.logs.length,
            content: <CallLogView call={call} />,
          },
          {
            id: 'agent',
            label: 'What the agent sees',
            content: <LazyAgentView call={call} />,
          },
          {
            id: 'raw',
            label: 'Raw',
            content: <CallRecord call={call} />,
          },
        ]}
      />
    </div>
  );
}

function reservedStyle(result: unknown): CSSProperties & { readonly '--reserved'?: string } {
  const height = reservedHeight(result);
  return height === null ? {} : { '--reserved': height };
}

function ResultOf({ call }: { call: Call }) {
  if (call.status === 'running') {
    const [last] = call.logs.slice(-1);
    return (
      <div className="flex flex-col gap-2 px-1 py-6 text-center text-sm text-muted">
        <p>
          {(call.questions ?? []).length === 0
            ? 'The result appears when the tool finishes. You can leave this page.'
            : 'Waiting for your answer'}
        </p>
        {last === undefined ? null : (
          <p className="foreign line-clamp-3 font-mono text-fg">
            <AnsiText text={last.message} />
          </p>
        )}
      </div>
    );
  }
  if (call.result === null) return <p className="px-1 py-6 text-center text-sm text-muted">The tool returned nothing (null).</p>;
  return (
    <div style={reservedStyle(call.result)} className="has-[>[role=status]]:min-h-(--reserved)">
      <LazyResultView value={call.result} label="Result" copyLabel="Copy the result" fileParts={[call.tool, call.id]} />
    </div>
  );
}

const SHOWN_FIRST = 1_200;

export function CallErrorView({ error, fileParts }: { error: CallError; fileParts: readonly string[] }) {
  const { word, means } = errorWords(error);
  const data = furtherData(error);
  const lead = leadOf(error);
  const isGeneric = lead === 'The arguments are invalid:';
  const ended = error.kind === 'cancelled';
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <div className={cx('flex flex-col gap-1 rounded border px-4 py-3', ended ? 'bg-off-soft' : 'border-failed/40 bg-failed-soft')}>
        <div className="flex items-start gap-2">
          <p className={cx('flex min-w-0 flex-1 flex-wrap items-center gap-x-2 font-medium', ended ? 'text-off' : 'text-failed')}>
            {ended ? <CircleMinus className="size-4 shrink-0" /> : <CircleX className="size-4 shrink-0" />}
            {word}
            {ended ? null : <code className="text-xs font-normal">{error.kind}</code>}
          </p>
          {ended ? null : <CopyButton text={() => withoutAnsi(wordsOf(error))} label="Copy the message" className="-my-1 -mr-2" />}
        </div>
        {isGeneric ? null : <Message text={lead} isForeign={error.kind === 'execution_error'} />}
        {error.issues === undefined || error.issues.length === 0 ? null : (
          <ul className="mt-1 flex flex-col gap-1 text-sm">
            {error.issues.map((issue) => (
              <li key={`${issue.path} ${issue.keyword} ${issue.message}`} className="flex min-w-0 flex-wrap gap-x-2">
                <span className="font-medium break-words" title={issue.path}>
                  {issue.path === '' ? 'All arguments' : pointerInWords(issue.path)}
                </span>
                <span className="foreign min-w-0">{issue.message}</span>
              </li>
            ))}
          </ul>
        )}
        {means === null ? null : <p className="text-sm text-muted">{means}</p>}
      </div>
      {data === null ? null : <LazyResultView value={data} label="Error data" copyLabel="Copy the data" fileParts={fileParts} />}
    </div>
  );
}

/** @param isForeign text of the tool, shown unchanged */
function Message({ text, isForeign }: { text: string; isForeign: boolean }) {
  const [isExpanded, setExpanded] = useState(false);
  const isLong = text.length > SHOWN_FIRST;
  const shown = isLong && !isExpanded ? `${text.slice(0, SHOWN_FIRST)}…` : text;
  return (
    <>
      <p className="foreign">{isForeign ? <AnsiText text={shown} /> : <CodeInText text={withoutAnsi(shown)} />}</p>
      {isLong ? <ShowAllButton length={text.length} isExpanded={isExpanded} onExpanded={setExpanded} /> : null}
    </>
  );
}

function wordsOf(error: CallError): string {
  return [leadOf(error), ...(error.issues ?? []).map(({ path, message }) => `- ${path === '' ? 'all arguments' : path}: ${message}`)].join(
    '\n',
  );
}

const LEVEL_COLORS: Record<LogLevel, string> = { debug: 'text-muted', info: 'text-running', warn: 'text-degraded', error: 'text-failed' };

function CallLogView({ call }: { call: Call }) {
  const scroller = useRef<HTMLDivElement>(null);
  const atEnd = useRef(true);
  const running = call.status === 'running';
  const count = call.logs.length;

  useEffect(() => {
    const element = scroller.current;
    if (running && element !== null && atEnd.current) element.scrollTop = element.scrollHeight;
  }, [running, count]);

  if (count === 0) {
    return (
      <p className="px-1 py-6 text-center text-sm text-muted">
        {running ? 'No logs yet' : 'No logs from this call. A tool writes here with ctx.log.info("…").'}
      </p>
    );
  }
  const start = Date.parse(call.started_at);
  const last = Date.parse(call.logs.at(-1)?.time ?? call.started_at) - start;
  const span = Math.max(1, call.duration_ms ?? last);
  return (
    <div className="@container flex min-w-0 flex-col gap-1">
      {call.logs_truncated ? <p className="text-xs text-muted">Only the newest lines are stored.</p> : null}
      <div
        ref={scroller}
        tabIndex={0}
        role="region"
        aria-label="Log of the call"
        onScroll={(event) => {
          const { scrollTop, scrollHeight, clientHeight } = event.currentTarget;
          atEnd.current = scrollHeight - scrollTop - clientHeight < 24;
        }}
        className="focus-inset max-h-[60dvh] overflow-auto rounded border bg-subtle py-2 font-mono text-sm leading-5"
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
    <div className="flex min-w-0 gap-2 px-3 hover:bg-hover @max-md:flex-wrap @max-md:gap-y-0">
      <TimeText time={line.time} className="w-16 shrink-0 text-right text-xs leading-5 text-muted">
        {offsetInWords(offset)}
      </TimeText>
      <svg aria-hidden viewBox="0 0 64 20" className="h-5 w-16 shrink-0 @max-xl:hidden">
        <line x1="2" x2="62" y1="10" y2="10" className="stroke-line-strong" strokeWidth="1" />
        <circle cx={2 + at * 60} cy="10" r="2.5" className={cx('fill-current', LEVEL_COLORS[line.level])} />
      </svg>
      <span className={cx('w-10 shrink-0', LEVEL_COLORS[line.level], line.level !== 'info' && line.level !== 'debug' && 'font-medium')}>
        {line.level}
      </span>
      <span className="foreign min-w-0 flex-1 @max-md:basis-full">
        <AnsiText text={line.message} />
        {line.data === null ? null : <span className="text-muted"> {JSON.stringify(line.data)}</span>}
      </span>
    </div>
  );
}

function CallProgress({ progress }: { progress: Progress }) {
  const { done, total, message } = progress;
  const share = total === null || total <= 0 ? null : Math.min(1, Math.max(0, done / total));
  const words = total === null ? `${done} done` : `${done} of ${total}`;
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <div className="flex items-baseline justify-between gap-3 text-sm">
        <span className="foreign line-clamp-2 min-w-0">{message ?? 'Under way'}</span>
        <span className="tabular shrink-0 text-muted">{share === null ? words : `${words} · ${Math.round(share * 100)}%`}</span>
      </div>
      <div
        role="progressbar"
        aria-label={message ?? 'Progress of the call'}
        aria-valuetext={words}
        {...(share === null ? {} : { 'aria-valuenow': Math.round(share * 100), 'aria-valuemin': 0, 'aria-valuemax': 100 })}
        className="h-1.5 overflow-hidden rounded-full bg-hover"
      >
        <svg aria-hidden viewBox="0 0 100 4" preserveAspectRatio="none" className="block size-full">
          <rect
            x="0"
            y="0"
            width={share === null ? 100 : share * 100}
            height="4"
            className={share === null ? 'fill-current text-running opacity-40' : 'fill-current text-running'}
          />
        </svg>
      </div>
    </div>
  );
}

const JSON_SHOWN_FIRST = 60_000;
const SHOWN_MORE = 1_000_000;

function CallRecord({ call }: { call: Call }) {
  const text = useMemo(() => escapeInvisible(jsonText(call)), [call]);
  const [max, setMax] = useState(JSON_SHOWN_FIRST);
  if (text.length <= max) return <CodeBlock code={text} language="json" label="Call record" copyLabel="Copy the call" wrap />;
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <CodeBlock code={text.slice(0, max)} label="Call record" copyLabel={null} wrap />
      <div className="flex flex-wrap items-center gap-2 text-sm text-muted">
        <span className="tabular">
          The first {inThousands(max)} of {inThousands(text.length)} characters.
        </span>
        <Button size="sm" onClick={() => setMax(max + SHOWN_MORE)}>
          Show more
        </Button>
        <CopyButton words text={text} label="Copy all" />
      </div>
    </div>
  );
}
