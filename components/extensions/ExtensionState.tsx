'use client';

import { ListLink } from '#components/ui/ListLink.tsx';
import { TimeText, useClockText } from '#components/ui/RelativeTime.tsx';
import { cx } from '#components/ui/cx.ts';
import { inThousands } from '#components/ui/in-thousands.ts';
import type { Extension } from '#lib/contract/extension.ts';
import { PAGES } from '#lib/contract/paths.ts';
import { momentOfState, stateInWords } from './extension-words.ts';

export function StateSentence({ extension, className }: { extension: Extension; className?: string }) {
  const words = useClockText((now) => stateInWords(extension, now));
  const moment = momentOfState(extension);
  const look = cx('tabular text-muted', className);
  return moment === null ? (
    <span className={look}>{words}</span>
  ) : (
    <TimeText time={moment} className={look}>
      {words}
    </TimeText>
  );
}

interface CallCountsProps {
  readonly extension: string;
  readonly since: string;
  readonly calls: number;
  /** Timeouts included. */
  readonly failed: number;
  readonly className: string;
}

const FAILED = 'failed,timed_out';

export function CallCounts({ extension, since, calls, failed, className }: CallCountsProps) {
  const address = (more: Readonly<Record<string, string>> = {}) => `${PAGES.calls}?${new URLSearchParams({ extension, since, ...more })}`;
  return (
    <span className="tabular">
      <ListLink href={address()} className={className}>
        {inThousands(calls)} {calls === 1 ? 'call' : 'calls'}
      </ListLink>
      {failed === 0 ? null : (
        <>
          ,{' '}
          <ListLink href={address({ status: FAILED })} className={cx(className, 'text-failed')}>
            {inThousands(failed)} failed
          </ListLink>
        </>
      )}
    </span>
  );
}
