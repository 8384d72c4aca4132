'use client';

import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { ArrowLeftRight } from 'lucide-react';
import Link from 'next/link';
import type { ReactNode } from 'react';
import { LinkButton } from '#components/ui/Button.tsx';
import { DiffView } from '#components/ui/DiffView.tsx';
import { EmptyState, ErrorState, QueryState, Skeleton, ShowOlder } from '#components/ui/QueryState.tsx';
import { ListLink } from '#components/ui/ListLink.tsx';
import { PageHead, Panel } from '#components/ui/Panel.tsx';
import { Duration, RelativeTime } from '#components/ui/RelativeTime.tsx';
import { StateText } from '#components/ui/Badge.tsx';
import { durationInWords } from '#components/ui/times.ts';
import { hasProblemCode, messageOf } from '#lib/client/api-problem.ts';
import { queries } from '#lib/client/queries.ts';
import type { Call } from '#lib/contract/call.ts';
import { PAGES } from '#lib/contract/paths.ts';
import { SOURCE_WORDS, argumentsInLine } from './call-words.ts';
import { jsonInText } from './result/text-format.ts';

export function CompareCalls({ a, b }: { a: string; b: string | null }) {
  const first = useQuery(queries.call(a));
  const second = useQuery({ ...queries.call(b ?? ''), enabled: b !== null });
  const failed = first.error ?? (b === null ? null : second.error);

  if (failed !== null)
    return hasProblemCode(failed, 'call_not_found') ? (
      <ChooseCall title="One of these calls was not found">Open another call and press Compare.</ChooseCall>
    ) : (
      <ErrorState
        title="Could not load the calls"
        detail={messageOf(failed)}
        onRetry={() => void Promise.all([first.refetch(), second.refetch()])}
        retrying={first.isFetching || second.isFetching}
      />
    );
  if (first.data === undefined || (b !== null && second.data === undefined)) return <Skeleton lines={10} />;
  if (second.data === undefined) return <CompareChoice call={first.data} />;
  return <Comparison before={first.data} after={second.data} />;
}

function Comparison({ before, after }: { before: Call; after: Call }) {
  const parts = comparedParts(before, after);
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <PageHead
        title="Compare two calls"
        note={before.tool === after.tool ? `Both of ${before.tool}` : `${before.tool} and ${after.tool}`}
        actions={
          <LinkButton size="sm" href={PAGES.compareCalls(after.id, before.id)} replace icon={<ArrowLeftRight />}>
            Swap
          </LinkButton>
        }
      />
      <Panel title="The calls" flush>
        <CallHeads before={before} after={after} />
      </Panel>
      {parts.map((part) => (
        <Panel key={part.title} title={part.title} note={!part.isOpen && part.before === part.after ? 'equal' : undefined}>
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

function CallHeads({ before, after }: { before: Call; after: Call }) {
  const difference = differenceInMs(before.duration_ms, after.duration_ms);
  const rows = [
    { name: 'Status', of: (call: Call) => <StateText state={call.status} /> },
    { name: 'Started', of: (call: Call) => <RelativeTime time={call.started_at} /> },
    {
      name: 'Duration',
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
      name: 'Source',
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
              <Link href={PAGES.call(call.id)} className="link">
                {side === 0 ? 'First' : 'Second'}
              </Link>
            </th>
          ))}
        </tr>
      </thead>
      <tbody className="divide-y">
        {rows.map((row) => (
          <tr key={row.name}>
            <th scope="row" className="px-4 py-2 text-left font-normal text-muted">
              {row.name}
            </th>
            <td className="px-3 py-2 break-words">{row.of(before)}</td>
            <td className="px-3 py-2 break-words">{row.of(after)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function CompareChoice({ call }: { call: Call }) {
  const read = useInfiniteQuery(queries.calls({ tool: call.tool }));
  const others = read.data?.pages.flatMap((page) => page.calls).filter((other) => other.id !== call.id);
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <PageHead
        title="Choose a call to compare with"
        note={
          <>
            The first is{' '}
            <Link href={PAGES.call(call.id)} className="link">
              {call.tool}
            </Link>
            , <RelativeTime time={call.started_at} />. Choose another call of this tool.
          </>
        }
      />
      <Panel title={`Calls of ${call.tool}`} flush>
        {others === undefined ? (
          <QueryState query={read} what="the calls" lines={5} inset />
        ) : others.length === 0 ? (
          <EmptyState title="No other calls of this tool">Replay it or run the tool again, then compare.</EmptyState>
        ) : (
          <ol className="divide-y text-sm">
            {others.map((other) => (
              <li key={other.id}>
                <ListLink
                  href={PAGES.compareCalls(call.id, other.id)}
                  className="focus-inset grid grid-cols-[7rem_minmax(0,1fr)_auto] items-center gap-x-3 px-4 py-2 hover:bg-hover max-sm:grid-cols-[minmax(0,1fr)_auto]"
                >
                  <StateText state={other.status} />
                  <code className="truncate text-xs text-muted max-sm:order-last max-sm:col-span-2">
                    {argumentsInLine(other) || 'no arguments'}
                  </code>
                  <span className="tabular flex gap-3 whitespace-nowrap text-muted">
                    <Duration ms={other.duration_ms} />
                    <RelativeTime time={other.started_at} className="w-19 text-right" />
                  </span>
                </ListLink>
              </li>
            ))}
          </ol>
        )}
        <ShowOlder query={read} what="calls" size="sm" />
      </Panel>
    </div>
  );
}

export function ChooseCall({ title, children }: { title: string; children: ReactNode }) {
  return (
    <EmptyState title={title} actions={<LinkButton href={PAGES.calls}>Choose a call</LinkButton>}>
      {children}
    </EmptyState>
  );
}

export function outcomeText(call: Call): string {
  return comparableText(call.error ?? call.result);
}

export function logText(call: Call): string {
  return call.logs
    .map((line) => `${line.level.padEnd(5)} ${line.message}${line.data === null ? '' : ` ${JSON.stringify(line.data)}`}`)
    .join('\n');
}

interface ComparedPart {
  readonly title: string;
  readonly before: string;
  readonly after: string;
  readonly same: string;
  readonly missing: readonly string[];
  readonly isOpen: boolean;
}

const SIDES = ['first', 'second'] as const;

export function comparedParts(before: Call, after: Call): readonly ComparedPart[] {
  const calls = [before, after];
  const running = SIDES.filter((_, at) => calls[at]?.status === 'running').map((side) => `The ${side} call is still running.`);
  const cut = SIDES.filter((_, at) => calls[at]?.logs_truncated === true).map(
    (side) => `Only the newest log lines of the ${side} call are stored.`,
  );
  const hasSecrets = calls.some((call) => call.redacted.length > 0);
  return [
    {
      title: 'Arguments',
      before: comparableText(before.arguments),
      after: comparableText(after.arguments),
      same: 'Same arguments',
      missing: hasSecrets ? ['Secrets are not stored and not compared.'] : [],
      isOpen: false,
    },
    {
      title: 'Outcome',
      before: outcomeText(before),
      after: outcomeText(after),
      same: 'Same outcome',
      missing: running.length === 0 ? [] : [...running, 'Compared once both calls have ended'],
      isOpen: running.length > 0,
    },
    {
      title: 'Log',
      before: logText(before),
      after: logText(after),
      same: calls.every((call) => call.logs.length === 0) ? 'No logs' : 'Same logs',
      missing: [...running, ...cut],
      isOpen: false,
    },
  ];
}

/** Only the plain difference: ratios would suggest precision. */
export function differenceInMs(before: number | null, after: number | null): number | null {
  return before === null || after === null ? null : Math.round((after - before) * 1_000) / 1_000;
}

/*
 * Canonical text for a line diff: sorted keys, no trailing commas, JSON in strings expanded, multi-line strings split. Numbers
 * that would be rounded stay strings.
 */
const STEP = '  ';
/** Deeper values are written in one line, which also bounds recursion. */
const MAX_DEPTH = 200;
const ROUNDED = /\d{16}/;

export function comparableText(value: unknown): string {
  if (typeof value === 'string' && value.includes('\n') && readJson(value) === undefined) return value;
  return written(value, '').join('\n');
}

function written(value: unknown, indent: string): string[] {
  if (typeof value === 'string') return writtenText(value, indent);
  if (typeof value !== 'object' || value === null || indent.length > MAX_DEPTH * STEP.length) return [JSON.stringify(value) ?? 'null'];
  const inner = indent + STEP;
  if (Array.isArray(value)) {
    const items = value.flatMap((item: unknown) => under('', written(item, inner), inner));
    return items.length === 0 ? ['[]'] : ['[', ...items, `${indent}]`];
  }
  const members = Object.entries(value)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([name, member]) => under(`${JSON.stringify(name)}: `, written(member, inner), inner));
  return members.length === 0 ? ['{}'] : ['{', ...members, `${indent}}`];
}

function writtenText(text: string, indent: string): string[] {
  const json = readJson(text);
  if (json !== undefined) {
    const [first = '', ...rest] = written(json, indent);
    return [`JSON in a text: ${first}`, ...rest];
  }
  if (!text.includes('\n')) return [JSON.stringify(text)];
  const lines = text.split('\n');
  return [`text of ${lines.length} lines:`, ...lines.map((line) => `${indent}${STEP}| ${line}`)];
}

function under(name: string, [first = '', ...rest]: readonly string[], indent: string): string[] {
  return [`${indent}${name}${first}`, ...rest];
}

function readJson(text: string): object | undefined {
  return ROUNDED.test(text) ? undefined : jsonInText(text);
}
