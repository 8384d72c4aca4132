'use client';

import { useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import type { KeyboardEvent } from 'react';
import { cx } from '#components/ui/cx.ts';
import { Duration, RunningDuration } from '#components/ui/RelativeTime.tsx';
import { StateText } from '#components/ui/StateBadge.tsx';
import { pressedKey } from '#components/ui/pressed-key.ts';
import { hasProblemCode } from '#lib/client/api-problem.ts';
import { queries } from '#lib/client/queries.ts';

export interface RunStripProps {
  /** Ids of calls, newest first. */
  runs: readonly string[];
  shown: string | null;
  onShow: (id: string) => void;
}

/** The recent runs side by side, each with its state; one of them is shown below. */
export function RunStrip({ runs, shown, onShow }: RunStripProps) {
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
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- the arrows move between the buttons in it
    <ul ref={list} aria-label="Recent runs" onKeyDown={move} className="-m-1 flex min-w-0 gap-1.5 overflow-x-auto p-1">
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
          'flex h-8 items-center gap-2 rounded border bg-panel px-2.5 text-sm hover:bg-hover pointer-coarse:h-11',
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
