import type { ReactNode } from 'react';
import { cx } from './cx.ts';

/** Why something that was asked for was not done, beside what asked for it, and read out as it appears. */
export function ProblemLine({ id, children, className }: { id?: string; children: ReactNode; className?: string }) {
  return (
    <p id={id} role="alert" className={cx('foreign text-sm text-failed', className)}>
      {children}
    </p>
  );
}
