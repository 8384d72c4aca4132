'use client';

import { useQuery } from '@tanstack/react-query';
import { ChevronRight } from 'lucide-react';
import { ListLink } from '#components/ui/ListLink.tsx';
import { useEffect, useId, useRef, useState } from 'react';
import { CodeBlock } from '#components/ui/CodeBlock.tsx';
import { cx } from '#components/ui/cx.ts';
import { Duration, RunningDuration } from '#components/ui/RelativeTime.tsx';
import { StateText } from '#components/ui/StateBadge.tsx';
import { hasProblemCode, messageOf } from '#lib/client/api-problem.ts';
import { queries } from '#lib/client/queries.ts';
import type { Call } from '#lib/contract/call.ts';
import { PAGES } from '#lib/contract/paths.ts';

const SHOWN = 4_000;

/** The call that a message caused, folded: how it stands, how long it took; unfolded with arguments and outcome. */
export function MessageCall({ id }: { id: string }) {
  const root = useRef<HTMLDivElement>(null);
  const [seen, setSeen] = useState(false);
  const [open, setOpen] = useState(false);
  const detailsId = useId();
  const { data: call, error } = useQuery({ ...queries.call(id), enabled: seen });

  // A long conversation has many calls: each is read when it comes into sight.
  useEffect(() => {
    if (root.current === null) return;
    const observer = new IntersectionObserver((entries) => entries.some((entry) => entry.isIntersecting) && setSeen(true));
    observer.observe(root.current);
    return () => observer.disconnect();
  }, []);

  return (
    <div ref={root} className="w-full max-w-160 min-w-0 overflow-hidden rounded border bg-panel text-sm">
      <div className="flex min-h-9 min-w-0 items-center gap-2 pr-3">
        <button
          type="button"
          aria-expanded={open}
          aria-controls={detailsId}
          disabled={call === undefined}
          onClick={() => setOpen(!open)}
          className="focus-inset flex min-h-9 min-w-0 flex-1 items-center gap-2 rounded py-1 pl-2 text-left"
        >
          <ChevronRight aria-hidden className={cx('size-4 shrink-0 text-muted transition-transform', open && 'rotate-90')} />
          {call === undefined ? (
            <span className="truncate text-muted">{error === null ? 'Reading the call…' : problemInWords(error)}</span>
          ) : (
            <Summary call={call} />
          )}
        </button>
        <ListLink href={PAGES.call(id)} className="shrink-0 rounded-sm underline underline-offset-2">
          Open<span className="max-sm:sr-only"> the call</span>
        </ListLink>
      </div>
      <div id={detailsId} hidden={!open || call === undefined} className="flex flex-col gap-2 border-t p-2">
        {open && call !== undefined ? <Details call={call} /> : null}
      </div>
    </div>
  );
}

function Summary({ call }: { call: Call }) {
  return (
    <span className="flex min-w-0 flex-1 flex-wrap items-center gap-x-2">
      <span className="min-w-0 truncate">
        <span className="sr-only">Call of </span>
        <code className="font-medium" title={call.tool}>
          {call.tool}
        </code>
      </span>
      <StateText state={call.status} className="shrink-0" />
      <span className="tabular shrink-0 text-muted">
        {call.status === 'running' ? <RunningDuration since={call.started_at} /> : <Duration ms={call.duration_ms} />}
      </span>
    </span>
  );
}

function Details({ call }: { call: Call }) {
  return (
    <>
      <p className="px-1 text-xs font-medium text-muted">Arguments</p>
      <CodeBlock code={jsonText(call.arguments)} language="json" label="Arguments" copyLabel={null} wrap className="border-0" />
      {call.error !== null ? (
        <p dir="auto" className="foreign px-1 text-failed">
          {call.error.message}
        </p>
      ) : call.status === 'running' ? (
        <p className="px-1 text-muted">The result appears here as soon as the tool is done.</p>
      ) : (
        <>
          <p className="px-1 text-xs font-medium text-muted">Result</p>
          <CodeBlock code={jsonText(call.result)} language="json" label="Result" copyLabel={null} wrap className="border-0" />
        </>
      )}
    </>
  );
}

function problemInWords(error: Error): string {
  return hasProblemCode(error, 'call_not_found') ? 'This call is not in the history any more.' : messageOf(error);
}

/** A beginning is enough here: the page of the call has all of it. */
function jsonText(value: unknown): string {
  const text = JSON.stringify(value, null, 2) ?? 'null';
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}\n…` : text;
}
