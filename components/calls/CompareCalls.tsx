'use client';

import { useQuery } from '@tanstack/react-query';
import { ArrowLeftRight } from 'lucide-react';
import Link from 'next/link';
import { Button } from '#components/ui/Button.tsx';
import { DiffView } from '#components/ui/DiffView.tsx';
import { ErrorState } from '#components/ui/ErrorState.tsx';
import { PageHead } from '#components/ui/PageHead.tsx';
import { Panel } from '#components/ui/Panel.tsx';
import { Duration, RelativeTime } from '#components/ui/RelativeTime.tsx';
import { Skeleton } from '#components/ui/Skeleton.tsx';
import { StateText } from '#components/ui/StateBadge.tsx';
import { durationInWords } from '#components/ui/times.ts';
import { hasProblemCode, messageOf } from '#lib/client/api-problem.ts';
import { queries } from '#lib/client/queries.ts';
import type { Call } from '#lib/contract/call.ts';
import { PAGES } from '#lib/contract/paths.ts';
import { ChooseCall } from './ChooseCall.tsx';
import { SOURCE_WORDS } from './call-words.ts';
import { comparedParts, differenceInMs } from './compare-texts.ts';
import { CompareChoice } from './CompareChoice.tsx';

/** Two calls side by side: what was asked, what came of it, what was logged, how long it took. */
export function CompareCalls({ a, b }: { a: string; b: string | null }) {
  const first = useQuery(queries.call(a));
  const second = useQuery({ ...queries.call(b ?? ''), enabled: b !== null });
  const failed = first.error ?? (b === null ? null : second.error);

  if (failed !== null)
    return hasProblemCode(failed, 'call_not_found') ? (
      <ChooseCall title="One of these calls is not in the history">Open another call and press Compare.</ChooseCall>
    ) : (
      <ErrorState
        title="The calls could not be read"
        detail={messageOf(failed)}
        onRetry={() => void Promise.all([first.refetch(), second.refetch()])}
        retrying={first.isFetching || second.isFetching}
      />
    );
  if (first.data === undefined || (b !== null && second.data === undefined)) return <Skeleton lines={10} label="Reading the calls…" />;
  if (second.data === undefined) return <CompareChoice call={first.data} />;
  return <Comparison before={first.data} after={second.data} />;
}

function Comparison({ before, after }: { before: Call; after: Call }) {
  const parts = comparedParts(before, after);
  return (
    <div className="flex min-w-0 flex-col gap-5">
      <PageHead
        title="Compare two calls"
        note={before.tool === after.tool ? `Both of ${before.tool}.` : `Of ${before.tool} and of ${after.tool}.`}
        actions={
          <Button size="sm" asChild>
            <Link href={PAGES.compareCalls(after.id, before.id)} replace>
              <ArrowLeftRight aria-hidden />
              Swap
            </Link>
          </Button>
        }
      />
      <Panel title="The calls" flush>
        <Heads before={before} after={after} />
      </Panel>
      {parts.map((part) => (
        <Panel key={part.title} title={part.title} {...(!part.isOpen && part.before === part.after ? { note: 'equal' } : {})}>
          {part.missing.length === 0 ? null : <p className="px-1 pb-2 text-sm text-muted last:pb-0">{part.missing.join(' ')}</p>}
          {part.isOpen ? null : (
            <DiffView
              before={part.before}
              after={part.after}
              beforeName="the first call"
              afterName="the second call"
              label={part.title}
              same={part.same}
            />
          )}
        </Panel>
      ))}
    </div>
  );
}

function Heads({ before, after }: { before: Call; after: Call }) {
  const difference = differenceInMs(before.duration_ms, after.duration_ms);
  const rows = [
    { name: 'Status', of: (call: Call) => <StateText state={call.status} /> },
    { name: 'Started', of: (call: Call) => <RelativeTime time={call.started_at} /> },
    {
      name: 'Took',
      of: (call: Call) => (
        <>
          <Duration ms={call.duration_ms} />
          {call !== after || difference === null ? null : (
            <span className="text-muted"> ({`${difference < 0 ? '−' : '+'}${durationInWords(Math.abs(difference))}`})</span>
          )}
        </>
      ),
    },
    { name: 'Revision', of: (call: Call) => `${call.extension}, ${call.revision === null ? 'none' : `revision ${call.revision}`}` },
    {
      name: 'From',
      of: (call: Call) => (call.actor === null ? SOURCE_WORDS[call.source] : `${SOURCE_WORDS[call.source]} · ${call.actor}`),
    },
  ];
  return (
    <table className="tabular w-full table-fixed text-sm">
      <thead>
        <tr className="border-b text-left">
          <th scope="col" className="w-20 px-3 py-2 font-medium sm:w-32">
            <span className="sr-only">What</span>
          </th>
          {[before, after].map((call, side) => (
            <th key={side === 0 ? 'before' : 'after'} scope="col" className="px-3 py-2 font-medium">
              <Link href={PAGES.call(call.id)} className="rounded-sm break-all underline underline-offset-2">
                {side === 0 ? 'First: ' : 'Second: '}
                {call.tool}
              </Link>
            </th>
          ))}
        </tr>
      </thead>
      <tbody className="divide-y">
        {rows.map((row) => (
          <tr key={row.name}>
            <th scope="row" className="px-4 py-1.5 text-left font-normal text-muted">
              {row.name}
            </th>
            <td className="px-3 py-1.5 break-words">{row.of(before)}</td>
            <td className="px-3 py-1.5 break-words">{row.of(after)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
