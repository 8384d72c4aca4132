'use client';

import * as Radix from 'radix-ui/switch';
import type { ReactNode } from 'react';
import { cx } from './cx.ts';
import { Spinner } from './Button.tsx';

export interface SwitchProps {
  label: ReactNode;
  checked: boolean;
  onChange: (checked: boolean) => void;
  /** The change is pending: presses are ignored, the focus stays. */
  pending?: boolean;
  describedBy?: string;
}

/** Applied immediately. The state is also a word and a position, not only a color. */
export function Switch({ label, checked, onChange, pending = false, describedBy }: SwitchProps) {
  return (
    <Radix.Root
      checked={checked}
      aria-busy={pending || undefined}
      aria-disabled={pending || undefined}
      aria-describedby={describedBy}
      onCheckedChange={(next) => {
        if (!pending) onChange(next);
      }}
      className="group/switch flex min-h-8 w-full items-center gap-3 rounded text-left pointer-coarse:min-h-10"
    >
      <span className="min-w-0 flex-1 font-medium">{label}</span>
      <span aria-hidden className="text-sm text-muted">
        {pending ? <Spinner /> : checked ? 'On' : 'Off'}
      </span>
      <span
        aria-hidden
        className={cx(
          'relative inline-flex h-5 w-9 shrink-0 rounded-full border transition-colors',
          checked ? 'border-accent bg-accent' : 'border-control-line bg-subtle group-hover/switch:bg-hover',
        )}
      >
        <Radix.Thumb
          className={cx(
            'absolute top-1/2 size-3.5 -translate-y-1/2 rounded-full transition-[left]',
            checked ? 'left-[1.125rem] bg-accent-fg' : 'left-0.5 bg-control-line',
          )}
        />
      </span>
    </Radix.Root>
  );
}
