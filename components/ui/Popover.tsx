'use client';

import * as Radix from 'radix-ui/popover';
import type { ReactNode } from 'react';
import { cx } from './cx.ts';

export interface PopoverProps {
  open?: boolean;
  onOpenChange?: (open: boolean) => void;
  /** The control it belongs to. */
  trigger: ReactNode;
  /** Name for screen readers. */
  label: string;
  align?: 'start' | 'center' | 'end';
  /** Stays when people press elsewhere; only Escape, its control or its own button close it. */
  lasting?: boolean;
  className?: string;
  children: ReactNode;
}

/** Further information on a control, over the page. */
export function Popover({ open, onOpenChange, trigger, label, align = 'end', lasting = false, className, children }: PopoverProps) {
  return (
    <Radix.Root {...(open === undefined ? {} : { open })} {...(onOpenChange === undefined ? {} : { onOpenChange })}>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          aria-label={label}
          align={align}
          sideOffset={6}
          collisionPadding={8}
          {...(lasting ? { onInteractOutside: (event: Event) => event.preventDefault() } : {})}
          className={cx('z-30 max-h-[calc(100dvh-5rem)] w-80 max-w-[calc(100vw-1rem)] animate-rise-in overflow-y-auto rounded border bg-raised shadow-overlay', className)}
        >
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

/** The control a popover stands at without being opened by it. */
export const PopoverClose = Radix.Close;
