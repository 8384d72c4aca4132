import { Lock } from 'lucide-react';
import type { ReactNode } from 'react';
import { cx } from './cx.ts';

/** Replaces an action that the person may not use. */
export function ReadOnlyNote({ className, children }: { className?: string; children: ReactNode }) {
  return (
    <p role="note" className={cx('flex min-w-0 items-start gap-2 text-sm text-muted', className)}>
      <Lock className="mt-0.5 size-3.5 shrink-0" />
      <span className="min-w-0">{children}</span>
    </p>
  );
}
