'use client';

import { useQuery } from '@tanstack/react-query';
import { createContext, useContext, useMemo } from 'react';
import type { ReactNode } from 'react';
import { lastHourQuery } from '#lib/client/last-hour-query.ts';
import type { ExtensionOfHour } from '#lib/contract/last-hour.ts';
import { CallBars } from './CallBars.tsx';
import { CallCounts } from './CallCounts.tsx';

interface Hour {
  readonly since: string;
  readonly calls: ReadonlyMap<string, ExtensionOfHour>;
  /** Whether an extension that is not among them had none. */
  readonly isWhole: boolean;
}

const HourContext = createContext<Hour | 'counting' | 'failed'>('counting');

/** The calls of the last hour for all rows below it. A count that is new draws the cells anew that show it, not their rows. */
export function HourOfExtensions({ children }: { children: ReactNode }) {
  const { data, error } = useQuery(lastHourQuery());
  const hour = useMemo(() => {
    if (data === undefined) return error === null ? 'counting' : 'failed';
    const calls = new Map(data.extensions.map((each) => [each.extension, each]));
    return { since: data.since, calls, isWhole: calls.size === data.called_extensions };
  }, [data, error]);
  return <HourContext value={hour}>{children}</HourContext>;
}

const LINK = 'relative inline-block rounded-sm py-0.5 underline-offset-2 hover:underline focus-inset';

/** "120 calls, 2 failed" and when; as tall without calls as with them, so that the first one moves nothing. */
export function CallsOfHour({ extension }: { extension: string }) {
  return (
    <div className="flex flex-col md:-mt-0.5 md:min-h-11">
      <Counts extension={extension} />
    </div>
  );
}

function Counts({ extension }: { extension: string }) {
  const hour = useContext(HourContext);
  if (hour === 'counting') return <Quiet>being counted…</Quiet>;
  if (hour === 'failed') return <Quiet>could not be counted</Quiet>;
  const calls = hour.calls.get(extension);
  if (calls === undefined) return <Quiet>{hour.isWhole ? 'no calls' : 'few or no calls'}</Quiet>;
  return (
    <>
      <Line>
        <CallCounts extension={extension} since={hour.since} calls={calls.calls} failed={calls.failed + calls.timed_out} className={LINK} />
      </Line>
      <div className="max-md:hidden">
        <CallBars calls={calls} />
      </div>
    </>
  );
}

function Quiet({ children }: { children: ReactNode }) {
  return (
    <Line>
      <span className="text-muted">{children}</span>
    </Line>
  );
}

/** Where there are no columns it says of when. */
function Line({ children }: { children: ReactNode }) {
  return (
    <span className="flex min-h-6 flex-wrap items-center gap-x-1">
      {children}
      <span className="text-muted md:hidden">in the last hour</span>
    </span>
  );
}
