'use client';

import { useQuery } from '@tanstack/react-query';
import { createContext, useContext } from 'react';
import type { ReactNode } from 'react';
import { lastHourQuery } from '#lib/client/last-hour-query.ts';
import type { ExtensionOfHour, LastHour } from '#lib/contract/last-hour.ts';
import { CallBars } from './CallBars.tsx';
import { CallCounts } from './CallCounts.tsx';

interface Hour {
  readonly since: string;
  readonly calls: ReadonlyMap<string, ExtensionOfHour>;
  /** Of an extension that is not among them. */
  readonly none: string;
}

/** Words while there is none. */
const HourContext = createContext<Hour | string>('');

/** The calls of the last hour for all rows below it. A count that is new draws the cells anew that show it, not their rows. */
export function HourOfExtensions({ children }: { children: ReactNode }) {
  const { data, error } = useQuery(lastHourQuery());
  return (
    <HourContext value={data === undefined ? (error === null ? 'being counted…' : 'could not be counted') : hourOf(data)}>
      {children}
    </HourContext>
  );
}

function hourOf({ since, extensions, called_extensions: called }: LastHour): Hour {
  return {
    since,
    calls: new Map(extensions.map((each) => [each.extension, each])),
    none: extensions.length === called ? 'no calls' : 'few or no calls',
  };
}

const LINK = 'focus-inset relative rounded-sm py-0.5 text-fg underline-offset-2 hover:underline';

/** "120 calls, 2 failed", and of when where no column says it; as tall without calls as with them, so that the first one moves nothing. */
export function CallsOfHour({ extension }: { extension: string }) {
  const hour = useContext(HourContext);
  const calls = typeof hour === 'string' ? undefined : hour.calls.get(extension);
  return (
    <div className="text-muted md:-mt-0.5 md:min-h-11">
      <span className="inline-block py-0.5">
        {typeof hour === 'string' ? (
          hour
        ) : calls === undefined ? (
          hour.none
        ) : (
          <CallCounts
            extension={extension}
            since={hour.since}
            calls={calls.calls}
            failed={calls.failed + calls.timed_out}
            className={LINK}
          />
        )}
      </span>
      <span className="md:hidden"> in the last hour</span>
      {calls === undefined ? null : (
        <div className="max-md:hidden">
          <CallBars calls={calls} />
        </div>
      )}
    </div>
  );
}
