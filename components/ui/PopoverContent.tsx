'use client';

import * as Radix from 'radix-ui/popover';
import type { ReactNode, RefObject } from 'react';
import { cx } from './cx.ts';
import { keepOpenWhileComposing } from './pressed-key.ts';

export interface PopoverContentProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  anchor: RefObject<HTMLElement | null>;
  label: string;
  align: 'start' | 'center' | 'end';
  className?: string | undefined;
  children: ReactNode;
}

/** What a popover shows, loaded when the first one opens. */
export function PopoverContent({ open, onOpenChange, anchor, label, align, className, children }: PopoverContentProps) {
  const place = { current: { getBoundingClientRect: () => anchor.current?.getBoundingClientRect() ?? new DOMRect() } };

  function focusAnchor(event: Event) {
    event.preventDefault();
    anchor.current?.focus();
  }

  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Anchor virtualRef={place} />
      <Radix.Portal>
        <Radix.Content
          onEscapeKeyDown={keepOpenWhileComposing}
          aria-label={label}
          align={align}
          sideOffset={6}
          collisionPadding={8}
          onCloseAutoFocus={focusAnchor}
          onInteractOutside={(event) => {
            // A press of the control itself closes it there.
            if (event.target instanceof Node && anchor.current?.contains(event.target) === true) event.preventDefault();
          }}
          className={cx(
            'z-30 max-h-[min(36rem,var(--radix-popover-content-available-height))] w-88 max-w-[calc(100vw-1rem)] animate-rise-in overflow-y-auto rounded border bg-raised shadow-overlay',
            className,
          )}
        >
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
