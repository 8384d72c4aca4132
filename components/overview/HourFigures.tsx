'use client';

import { ListLink } from '#components/ui/ListLink.tsx';
import type { ReactNode } from 'react';
import { cx } from '#components/ui/cx.ts';
import { Duration } from '#components/ui/RelativeTime.tsx';
import { durationInWords } from '#components/ui/times.ts';
import type { LastHour } from '#lib/contract/last-hour.ts';
import { badOf, callsAddress, countInWords, shareOf, slowerThan } from './hour-words.ts';

/** As tall as a finger needs, since one stands under the other. */
const LINK = 'inline-block rounded-sm py-1 underline-offset-2 hover:underline';

/** How many, how many failed and how fast, against the hour before; each number leads to the calls that it counts. */
export function HourFigures({ hour }: { hour: LastHour }) {
  const { last, previous, since } = hour;
  const before = { since: hour.before, until: since };
  return (
    <dl className="grid grid-cols-2 border-b sm:grid-cols-4 sm:divide-x">
      <Figure name="Calls" value={<ListLink href={callsAddress({ since })}>{countInWords(last.calls)}</ListLink>}>
        <ListLink href={callsAddress(before)} className={LINK}>
          hour before: {previous.calls === 0 ? 'none' : countInWords(previous.calls)}
        </ListLink>
      </Figure>
      <Figure name="Failed" value={<FailedShare hour={hour} />} bad={badOf(last) > 0}>
        <span className="flex flex-wrap gap-x-2">
          {last.failed === 0 ? null : (
            <ListLink href={callsAddress({ status: 'failed', since })} className={LINK}>
              {countInWords(last.failed)} failed
            </ListLink>
          )}
          {last.timed_out === 0 ? null : (
            <ListLink href={callsAddress({ status: 'timed_out', since })} className={LINK}>
              {countInWords(last.timed_out)} timed out
            </ListLink>
          )}
        </span>
        {previous.calls === 0 ? null : (
          <ListLink href={callsAddress({ status: FAILED, ...before })} className={LINK}>
            hour before: {shareOf(previous)}%
          </ListLink>
        )}
      </Figure>
      <Latency name="Half within" ms={last.p50_ms} since={since} previous={previous.p50_ms} before={before} />
      <Latency name="95% within" ms={last.p95_ms} since={since} previous={previous.p95_ms} before={before} />
    </dl>
  );
}

/** Of the history, all that the share counts. */
const FAILED = 'failed,timed_out';

function FailedShare({ hour: { last, since } }: { hour: LastHour }) {
  const words = `${shareOf(last)}%`;
  if (badOf(last) === 0) return words;
  return <ListLink href={callsAddress({ status: FAILED, since })}>{words}</ListLink>;
}

function Latency({
  name,
  ms,
  since,
  previous,
  before,
}: {
  name: string;
  ms: number | null;
  since: string;
  previous: number | null;
  before: { readonly since: string; readonly until: string };
}) {
  return (
    <Figure
      name={name}
      value={
        ms === null ? (
          '–'
        ) : (
          <ListLink href={callsAddress({ min_ms: slowerThan(ms), since })} title="Show the calls that took longer">
            <Duration ms={ms} />
          </ListLink>
        )
      }
    >
      {previous === null ? null : (
        <ListLink href={callsAddress({ min_ms: slowerThan(previous), ...before })} className={LINK}>
          hour before: {durationInWords(previous)}
        </ListLink>
      )}
    </Figure>
  );
}

function Figure({ name, value, bad = false, children }: { name: string; value: ReactNode; bad?: boolean; children: ReactNode }) {
  return (
    <div className="flex min-w-0 flex-col px-4 py-2.5 sm:not-first:px-3">
      <dt className="text-xs text-muted">{name}</dt>
      <dd className="tabular flex flex-col">
        <span className={cx('text-xl font-semibold whitespace-nowrap [&_a]:rounded-sm [&_a]:hover:underline', bad && 'text-failed')}>
          {value}
        </span>
        <span className="flex flex-col text-xs text-muted">{children}</span>
      </dd>
    </div>
  );
}
