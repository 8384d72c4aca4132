import { Ban, CircleAlert, CircleCheck, CircleMinus, CircleX, EyeOff, LoaderCircle, Timer, Unplug } from 'lucide-react';
import type { LucideIcon } from 'lucide-react';

/** The five looks a state can have. */
export type Tone = 'ok' | 'degraded' | 'failed' | 'running' | 'off';

export interface StateLook {
  readonly tone: Tone;
  readonly word: string;
  readonly icon: LucideIcon;
}

/** Every state the pages show, of extensions, calls, tools and processes: its colour, its word and its icon in one place. */
export const STATES = {
  ready: { tone: 'ok', word: 'Ready', icon: CircleCheck },
  degraded: { tone: 'degraded', word: 'Degraded', icon: CircleAlert },
  failed: { tone: 'failed', word: 'Failed', icon: CircleX },
  loading: { tone: 'running', word: 'Loading', icon: LoaderCircle },
  disabled: { tone: 'off', word: 'Disabled', icon: Ban },
  excluded: { tone: 'off', word: 'Excluded', icon: EyeOff },
  running: { tone: 'running', word: 'Running', icon: LoaderCircle },
  succeeded: { tone: 'ok', word: 'Succeeded', icon: CircleCheck },
  timed_out: { tone: 'failed', word: 'Timed out', icon: Timer },
  cancelled: { tone: 'off', word: 'Cancelled', icon: CircleMinus },
  available: { tone: 'ok', word: 'Available', icon: CircleCheck },
  unavailable: { tone: 'failed', word: 'Unavailable', icon: Unplug },
  loaded: { tone: 'ok', word: 'Loaded', icon: CircleCheck },
} as const satisfies Record<string, StateLook>;

export type StateName = keyof typeof STATES;

export const TONE_TEXT: Record<Tone, string> = {
  ok: 'text-ok',
  degraded: 'text-degraded',
  failed: 'text-failed',
  running: 'text-running',
  off: 'text-off',
};
