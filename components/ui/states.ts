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
  RotateCw,
  Timer,
  Unplug,
} from 'lucide-react';
import type { LucideIcon } from 'lucide-react';

/** Visual variants of a state. */
export type Tone = 'ok' | 'degraded' | 'failed' | 'running' | 'off';

export interface StateLook {
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
} as const satisfies Record<string, StateLook>;

export type StateName = keyof typeof STATES;

export const TONE_TEXT: Record<Tone, string> = {
  ok: 'text-ok',
  degraded: 'text-degraded',
  failed: 'text-failed',
  running: 'text-running',
  off: 'text-off',
};
