'use client';

import { useLayoutEffect, useRef } from 'react';
import { Button } from './Button.tsx';
import type { ButtonProps } from './Button.tsx';

export interface TransientButtonProps extends Omit<ButtonProps, 'ref'> {
  /** Selector of the ancestor that gets the focus; it must be focusable and outlive the button. */
  focusFallback: string;
}

/**
 * A button that disappears after its action, for example Cancel. If it has the focus, the focus moves to an ancestor instead of
 * being lost.
 */
export function TransientButton({ focusFallback, ...props }: TransientButtonProps) {
  const button = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => {
    const own = button.current;
    return () => {
      if (own === null || document.activeElement !== own) return;
      own.closest<HTMLElement>(focusFallback)?.focus({ preventScroll: true });
    };
  }, [focusFallback]);
  return <Button {...props} ref={button} />;
}
