import type { ReactNode } from 'react';
import { cx } from './cx.ts';
import type { Tone } from './states.ts';

const TONES: Record<Tone, string> = {
  ok: 'bg-ok-soft text-ok',
  degraded: 'bg-degraded-soft text-degraded',
  failed: 'bg-failed-soft text-failed',
  running: 'bg-running-soft text-running',
  off: 'bg-off-soft text-off',
};

/** With a tone it needs an icon too: color alone must not carry meaning. */
export function Badge({ tone, icon, className, children }: { tone?: Tone; icon?: ReactNode; className?: string; children: ReactNode }) {
  return (
    <span
      className={cx(
        'inline-flex h-5 max-w-full shrink-0 items-center gap-1 rounded-sm px-1.5 text-xs font-medium whitespace-nowrap [&_svg]:size-3 [&_svg]:shrink-0',
        tone === undefined ? 'border bg-panel text-muted' : TONES[tone],
        className,
      )}
    >
      {icon}
      <span className="truncate">{children}</span>
    </span>
  );
}
