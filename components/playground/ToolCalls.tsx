'use client';

import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import Link from 'next/link';
import { type KeyboardEvent, useRef } from 'react';
import { argumentsInLine } from '#components/calls/call-words.ts';
import { NewRows, usePointerInside, useStableRows } from '#components/ui/stable-rows.tsx';
import { Duration, RelativeTime, RunningDuration } from '#components/ui/RelativeTime.tsx';
import { Skeleton } from '#components/ui/QueryState.tsx';
import { StateText } from '#components/ui/Badge.tsx';
import { cx } from '#components/ui/cx.ts';
import { pressedKey } from '#components/ui/pressed-key.ts';
import { useMay } from '#lib/client/SessionProvider.tsx';
import { hasProblemCode, messageOf } from '#lib/client/api-problem.ts';
import { queries } from '#lib/client/queries.ts';
import type { Call } from '#lib/contract/call.ts';
import { PAGES } from '#lib/contract/paths.ts';

const MAX_RUNS = 12;
const MAX_ID_LENGTH = 100;

export function readRuns(text: string | null): readonly string[] {
  if (text === null) return [];
  try {
    const stored: unknown = JSON.parse(text);
    return Array.isArray(stored) && stored.length <= MAX_RUNS && stored.every(isId) ? stored : [];
  } catch {
    return [];
  }
}

export function withRun(runs: readonly string[], id: string): readonly string[] {
  return runs.includes(id) ? runs : [id, ...runs].slice(0, MAX_RUNS);
}

function isId(value: unknown): value is string {
  return typeof value === 'string' && value.length <= MAX_ID_LENGTH;
}

const SHOWN = 12;
const NONE: readonly Call[] = [];

export function ToolCalls({ tool, open, onChoose }: { tool: string; open: string | null; onChoose: (call: Call) => void }) {
  const { data, error, isPending } = useInfiniteQuery(queries.calls({ tool }, SHOWN));
  const mayCall = useMay('tools.call');
  const { pointer, props: pointerProps } = usePointerInside();
  const { rows: calls, waiting, showAll } = useStableRows(data?.pages[0]?.calls ?? NONE, { list: tool, pointer, keepsRemoved: true });
  if (isPending) return <Skeleton lines={3} />;
  if (error !== null && calls.length === 0) return <p className="foreign p-4 text-sm text-failed">{messageOf(error)}</p>;
  if (calls.length === 0)
    return <p className="px-4 py-6 text-center text-sm text-muted">No calls yet.{mayCall ? ' Fill in the form and press Run.' : ''}</p>;
  return (
    <div {...pointerProps}>
      <NewRows count={waiting} onShow={showAll} />
      <ol className="divide-y text-sm">
        {calls.map((call) => (
          <li key={call.id}>
            <button
              type="button"
              aria-current={call.id === open || undefined}
              onClick={() => onChoose(call)}
              className={cx(
                'focus-inset grid w-full grid-cols-[minmax(0,1fr)_auto] items-center sm:max-lg:grid-cols-[7rem_minmax(0,1fr)_auto] 2xl:grid-cols-[7rem_minmax(0,1fr)_auto] gap-x-3 px-4 py-2 text-left hover:bg-hover pointer-coarse:py-2',
                call.id === open && 'bg-accent-soft',
              )}
            >
              <StateText state={call.status} />
              <code className="order-last col-span-2 truncate text-xs text-muted sm:max-lg:order-none sm:max-lg:col-span-1 2xl:order-none 2xl:col-span-1">
                {argumentsInLine(call) || 'no arguments'}
              </code>
              <span className="tabular flex items-center gap-3 whitespace-nowrap text-muted">
                {call.status === 'running' ? <RunningDuration since={call.started_at} /> : <Duration ms={call.duration_ms} />}
                <RelativeTime time={call.started_at} className="w-19 text-right" />
              </span>
            </button>
          </li>
        ))}
      </ol>
      {(data?.pages[0]?.next_cursor ?? null) === null ? null : (
        <p className="border-t px-4 py-2 text-sm">
          <Link href={`${PAGES.calls}?tool=${encodeURIComponent(tool)}`} className="link">
            All calls of this tool
          </Link>
        </p>
      )}
    </div>
  );
}

export function RunStrip({ runs, shown, onShow }: { runs: readonly string[]; shown: string | null; onShow: (id: string) => void }) {
  const list = useRef<HTMLUListElement>(null);

  function move(event: KeyboardEvent) {
    const buttons = [...(list.current?.querySelectorAll('button') ?? [])];
    const at = buttons.findIndex((button) => button === document.activeElement);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: buttons.length - 1 }[pressedKey(event)];
    const next = to === undefined ? undefined : buttons[to];
    if (at === -1 || next === undefined) return;
    event.preventDefault();
    next.focus();
  }

  if (runs.length < 2) return null;
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- arrow keys move between the buttons inside
    <ul ref={list} aria-label="Recent runs" onKeyDown={move} className="-m-1 flex min-w-0 gap-2 overflow-x-auto p-1">
      {runs.map((id, at) => (
        <Run key={id} id={id} number={runs.length - at} isShown={id === shown} onShow={onShow} />
      ))}
    </ul>
  );
}

function Run({ id, number, isShown, onShow }: { id: string; number: number; isShown: boolean; onShow: (id: string) => void }) {
  const { data: call, error } = useQuery(queries.call(id));
  if (call === undefined && hasProblemCode(error, 'call_not_found')) return null;
  return (
    <li className="shrink-0">
      <button
        type="button"
        aria-pressed={isShown}
        onClick={() => onShow(id)}
        className={cx(
          'flex h-8 items-center gap-2 rounded border bg-panel px-2 text-sm hover:bg-hover pointer-coarse:h-11',
          isShown && 'border-accent bg-accent-soft hover:bg-accent-soft',
        )}
      >
        <span className="tabular text-muted">{number}</span>
        {call === undefined ? (
          <span className="text-muted">…</span>
        ) : (
          <>
            <StateText state={call.status} />
            <span className="tabular text-muted">
              {call.status === 'running' ? <RunningDuration since={call.started_at} /> : <Duration ms={call.duration_ms} />}
            </span>
          </>
        )}
      </button>
    </li>
  );
}
