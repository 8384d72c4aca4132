import { cva } from 'class-variance-authority';
import { CircleX, Info, Lightbulb, Lock, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { cx } from './cx.ts';

const note = cva('flex min-w-0 gap-2 rounded px-3 py-2 text-sm [&>svg]:h-lh [&>svg]:w-4 [&>svg]:shrink-0', {
  variants: {
    tone: {
      hint: 'bg-subtle [&>svg]:text-degraded',
      running: 'bg-running-soft [&>svg]:text-running',
      degraded: 'bg-degraded-soft [&>svg]:text-degraded',
      failed: 'bg-failed-soft [&>svg]:text-failed',
    },
  },
});

const ICONS = { hint: <Lightbulb />, running: <Info />, degraded: <TriangleAlert />, failed: <CircleX /> };

export function Note({ tone, icon = ICONS[tone], children }: { tone: keyof typeof ICONS; icon?: ReactNode; children: ReactNode }) {
  return (
    <div role="note" className={note({ tone })}>
      {icon}
      <span className="foreign min-w-0 flex-1">{children}</span>
    </div>
  );
}

/** Replaces an action that the person may not use. */
export function ReadOnlyNote({ className, children }: { className?: string; children: ReactNode }) {
  return (
    <p role="note" className={cx('flex min-w-0 items-start gap-2 text-sm text-muted', className)}>
      <Lock className="h-lh w-3.5 shrink-0" />
      <span className="min-w-0">{children}</span>
    </p>
  );
}
