import { LoaderCircle } from 'lucide-react';
import { Badge } from './Badge.tsx';
import { cx } from './cx.ts';
import { STATES, TONE_TEXT } from './states.ts';
import type { StateName } from './states.ts';

export interface StateBadgeProps {
  state: StateName;
  /** Replaces the default label. */
  word?: string;
  className?: string;
}

export function StateBadge({ state, word, className }: StateBadgeProps) {
  const look = STATES[state];
  return (
    <Badge tone={look.tone} icon={<StateIcon state={state} />} {...(className === undefined ? {} : { className })}>
      {word ?? look.word}
    </Badge>
  );
}

/** Without the border, for table cells. */
export function StateText({ state, word, className }: StateBadgeProps) {
  const look = STATES[state];
  return (
    <span className={cx('inline-flex items-center gap-1.5 font-medium whitespace-nowrap', TONE_TEXT[look.tone], className)}>
      <StateIcon state={state} className="size-3.5" />
      {word ?? look.word}
    </span>
  );
}

/** Only beside its label. */
export function StateIcon({ state, className }: { state: StateName; className?: string }) {
  const { icon: Icon, tone } = STATES[state];
  return <Icon aria-hidden className={cx('size-3 shrink-0', TONE_TEXT[tone], Icon === LoaderCircle && 'spinner', className)} />;
}
