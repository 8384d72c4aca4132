import type { ReactNode } from 'react';
import { cx } from './cx.ts';

/** Into sight where what asked for it stands elsewhere, as the buttons of a dialog do that is scrolled. */
function show(line: HTMLElement | null): void {
  line?.scrollIntoView({ block: 'nearest' });
}

/** Why something that was asked for was not done, beside what asked for it, seen and read out as it appears. */
export function ProblemLine({ id, children, className }: { id?: string; children: ReactNode; className?: string }) {
  return (
    <p ref={show} id={id} role="alert" className={cx('foreign text-sm text-failed', className)}>
      {children}
    </p>
  );
}
