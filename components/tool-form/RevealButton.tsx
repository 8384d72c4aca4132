'use client';

import { Eye, EyeOff } from 'lucide-react';
import { cx } from '#components/ui/cx.ts';
import { IconButton } from '#components/ui/IconButton.tsx';

export interface RevealButtonProps {
  readonly shown: boolean;
  readonly onShown: (shown: boolean) => void;
  /** Where it stands within the field, which is as high as its lines. */
  readonly className: string;
}

/** At the end of a masked field, which leaves room for it: shows what is typed, and hides it again. */
export function RevealButton({ shown, onShown, className }: RevealButtonProps) {
  return (
    <IconButton
      size="sm"
      label={shown ? 'Hide what is typed' : 'Show what is typed'}
      aria-pressed={shown}
      onClick={() => onShown(!shown)}
      className={cx('absolute right-0.5', className)}
    >
      {shown ? <EyeOff aria-hidden /> : <Eye aria-hidden />}
    </IconButton>
  );
}

export const BESIDE_ONE_LINE = 'top-1/2 -translate-y-1/2';
