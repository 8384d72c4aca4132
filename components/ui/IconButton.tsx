import type { ReactNode } from 'react';
import { Button } from './Button.tsx';
import type { ButtonProps } from './Button.tsx';
import { cx } from './cx.ts';
import { Tooltip } from './Tooltip.tsx';

export interface IconButtonProps extends Omit<ButtonProps, 'children' | 'icon' | 'variant' | 'aria-label' | 'asChild'> {
  /** A verb; label for screen readers and tooltip. */
  label: string;
  children: ReactNode;
  /** After the label in the tooltip, for example a shortcut. */
  hint?: ReactNode;
}

export function IconButton({ label, hint, children, className, size = 'md', ...rest }: IconButtonProps) {
  const square = size === 'sm' ? 'size-7' : size === 'lg' ? 'size-10' : 'size-8';
  return (
    <Tooltip text={label} hint={hint}>
      <Button {...rest} variant="quiet" size={size} aria-label={label} className={cx(square, 'p-0 pointer-coarse:min-w-10', className)}>
        {rest.pending === true ? null : children}
      </Button>
    </Tooltip>
  );
}
