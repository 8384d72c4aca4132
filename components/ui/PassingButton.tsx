'use client';

import { useLayoutEffect, useRef } from 'react';
import { Button } from './Button.tsx';
import type { ButtonProps } from './Button.tsx';

export interface PassingButtonProps extends Omit<ButtonProps, 'ref'> {
  /** Who takes the focus, as a selector of what stands around the button; it must be able to take it and outlive the button. */
  heir: string;
}

/**
 * A button that goes once it has done its work: Cancel when nothing runs any more, Take when somebody has it. Where it has the
 * focus then, the focus passes to what stands around it instead of being lost.
 */
export function PassingButton({ heir, ...props }: PassingButtonProps) {
  const button = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => {
    const own = button.current;
    return () => {
      if (own === null || document.activeElement !== own) return;
      own.closest<HTMLElement>(heir)?.focus({ preventScroll: true });
    };
  }, [heir]);
  return <Button {...props} ref={button} />;
}
