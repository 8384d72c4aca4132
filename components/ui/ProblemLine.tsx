import type { ReactNode } from 'react';
import { CodeText } from './CodeText.tsx';
import { cx } from './cx.ts';

/** Scrolls into view: the button may be elsewhere, for example in a dialog footer. */
function show(line: HTMLElement | null): void {
  line?.scrollIntoView({ block: 'nearest' });
}

type ProblemLineProps = { id?: string; className?: string } & ({ error: Error | null } | { children: ReactNode });

/** Error of an action, announced when it appears; nothing without one. */
export function ProblemLine({ id, className, ...what }: ProblemLineProps) {
  if ('error' in what && what.error === null) return null;
  return (
    <p ref={show} id={id} role="alert" className={cx('foreign text-sm text-failed', className)}>
      {'children' in what ? what.children : <CodeText text={what.error?.message ?? ''} />}
    </p>
  );
}
