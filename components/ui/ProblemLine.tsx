import type { ReactNode } from 'react';
import { cx } from './cx.ts';

/** Scrolls into view: the button may be elsewhere, for example in a dialog footer. */
function show(line: HTMLElement | null): void {
  line?.scrollIntoView({ block: 'nearest' });
}

/** Error of an action, announced when it appears. */
export function ProblemLine({ id, children, className }: { id?: string; children: ReactNode; className?: string }) {
  return (
    <p ref={show} id={id} role="alert" className={cx('foreign text-sm text-failed', className)}>
      {children}
    </p>
  );
}
