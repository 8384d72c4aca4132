'use client';

import type { ReactNode } from 'react';
import { Button } from './Button.tsx';
import type { ButtonProps } from './Button.tsx';
import { cx } from './cx.ts';
import { Tooltip } from './Tooltip.tsx';

export interface IconButtonProps extends Omit<ButtonProps, 'children' | 'icon' | 'aria-label' | 'asChild'> {
  /** What it does, as a verb; the name for screen readers and the tooltip. */
  label: string;
  children: ReactNode;
  /** Shown in the tooltip after the label, for example a key. */
  hint?: ReactNode;
}

/** A button whose face is an icon. Always named, always with a tooltip. */
export function IconButton({ label, hint, children, className, variant = 'quiet', size = 'md', ...rest }: IconButtonProps) {
  const square = size === 'sm' ? 'size-7' : size === 'lg' ? 'size-10' : 'size-8';
  return (
    <Tooltip text={label} hint={hint}>
      <Button {...rest} variant={variant} size={size} aria-label={label} className={cx(square, 'p-0 pointer-coarse:min-w-10', className)}>
        {rest.pending === true ? null : children}
      </Button>
    </Tooltip>
  );
}
