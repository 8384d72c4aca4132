'use client';

import { ListLink } from '#components/ui/ListLink.tsx';
import { cx } from '#components/ui/cx.ts';
import { inThousands } from '#components/ui/in-thousands.ts';
import { PAGES } from '#lib/contract/paths.ts';

export interface CallCountsProps {
  readonly extension: string;
  /** From when on they were counted. */
  readonly since: string;
  readonly calls: number;
  /** Those that timed out are among them. */
  readonly failed: number;
  /** Of each link. */
  readonly className: string;
}

const FAILED = 'failed,timed_out';

/** "120 calls, 2 failed", each leading to its list. */
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
