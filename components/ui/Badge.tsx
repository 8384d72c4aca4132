import type { ReactNode } from 'react';
import {
  Ban,
  BellOff,
  Check,
  CircleAlert,
  CircleCheck,
  CircleMinus,
  CirclePause,
  CircleX,
  Clock,
  Eye,
  EyeOff,
  LoaderCircle,
  type LucideIcon,
  RotateCw,
  Timer,
  Unplug,
} from 'lucide-react';
import { cx } from './cx.ts';

const TONES: Record<Tone, string> = {
  ok: 'bg-ok-soft text-ok',
  degraded: 'bg-degraded-soft text-degraded',
  failed: 'bg-failed-soft text-failed',
  running: 'bg-running-soft text-running',
  off: 'bg-off-soft text-off',
};

/** With a tone it needs an icon too: color alone must not carry meaning. */
export function Badge({
  tone,
  icon,
  className,
  children,
}: {
  tone?: Tone | undefined;
  icon?: ReactNode;
  className?: string | undefined;
  children: ReactNode;
}) {
  return (
    <span
      className={cx(
        'inline-flex min-h-5 max-w-full shrink-0 items-center gap-1 rounded-sm px-1 text-xs font-medium whitespace-nowrap [&_svg]:size-3 [&_svg]:shrink-0',
        tone === undefined ? 'border bg-panel text-muted' : TONES[tone],
        className,
      )}
    >
      {icon}
      <span className="truncate">{children}</span>
    </span>
  );
}

interface StateBadgeProps {
  state: StateName;
  word?: string | undefined;
  className?: string | undefined;
}

export function StateBadge({ state, word, className }: StateBadgeProps) {
  const style = STATES[state];
  return (
    <Badge tone={style.tone} icon={<StateIcon state={state} />} className={className}>
      {word ?? style.word}
    </Badge>
  );
}

export function StateText({ state, word, className }: StateBadgeProps) {
  const style = STATES[state];
  return (
    <span className={cx('inline-flex items-center gap-2 font-medium whitespace-nowrap', TONE_TEXT[style.tone], className)}>
      <StateIcon state={state} className="size-3.5" />
      {word ?? style.word}
    </span>
  );
}

/** Only beside its label. */
export function StateIcon({ state, className }: { state: StateName; className?: string | undefined }) {
  const { icon: Icon, tone } = STATES[state];
  return <Icon className={cx('size-3 shrink-0', TONE_TEXT[tone], Icon === LoaderCircle && 'spinner', className)} />;
}

type Tone = 'ok' | 'degraded' | 'failed' | 'running' | 'off';

interface StateLook {
  readonly tone: Tone;
  readonly word: string;
  readonly icon: LucideIcon;
}

/** Color, label and icon of every state of extensions, calls, tools, channels and messages. */
export const STATES = {
  ready: { tone: 'ok', word: 'Ready', icon: CircleCheck },
  degraded: { tone: 'degraded', word: 'Degraded', icon: CircleAlert },
  failed: { tone: 'failed', word: 'Failed', icon: CircleX },
  loading: { tone: 'running', word: 'Loading', icon: LoaderCircle },
  disabled: { tone: 'off', word: 'Disabled', icon: Ban },
  excluded: { tone: 'off', word: 'Excluded', icon: EyeOff },
  starting: { tone: 'running', word: 'Starting', icon: LoaderCircle },
  draining: { tone: 'degraded', word: 'Draining', icon: CirclePause },
  gone: { tone: 'off', word: 'Gone', icon: Unplug },
  running: { tone: 'running', word: 'Running', icon: LoaderCircle },
  succeeded: { tone: 'ok', word: 'Succeeded', icon: CircleCheck },
  timed_out: { tone: 'failed', word: 'Timed out', icon: Timer },
  cancelled: { tone: 'off', word: 'Cancelled', icon: CircleMinus },
  available: { tone: 'ok', word: 'Available', icon: CircleCheck },
  unavailable: { tone: 'failed', word: 'Unavailable', icon: Unplug },
  connecting: { tone: 'running', word: 'Connecting', icon: LoaderCircle },
  connected: { tone: 'ok', word: 'Connected', icon: CircleCheck },
  retrying: { tone: 'degraded', word: 'Retrying', icon: RotateCw },
  stopped: { tone: 'off', word: 'Stopped', icon: CirclePause },
  received: { tone: 'off', word: 'Received', icon: Check },
  queued: { tone: 'running', word: 'Queued', icon: Clock },
  sent: { tone: 'off', word: 'Sent', icon: Check },
  loaded: { tone: 'ok', word: 'Loaded', icon: CircleCheck },
  open: { tone: 'failed', word: 'Open', icon: CircleX },
  acknowledged: { tone: 'degraded', word: 'Acknowledged', icon: Eye },
  ignored: { tone: 'off', word: 'Ignored', icon: BellOff },
  resolved: { tone: 'ok', word: 'Resolved', icon: CircleCheck },
  done: { tone: 'ok', word: 'Done', icon: CircleCheck },
  refused: { tone: 'degraded', word: 'Refused', icon: Ban },
} as const satisfies Record<string, StateLook>;

export type StateName = keyof typeof STATES;

export const TONE_TEXT: Record<Tone, string> = {
  ok: 'text-ok',
  degraded: 'text-degraded',
  failed: 'text-failed',
  running: 'text-running',
  off: 'text-off',
};
