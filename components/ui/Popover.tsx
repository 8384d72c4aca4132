'use client';

import * as Radix from 'radix-ui/popover';
import type { ReactNode } from 'react';
import { useRef } from 'react';
import { cx } from './cx.ts';

export interface PopoverProps {
  open?: boolean;
  onOpenChange?: (open: boolean) => void;
  /** The control that opens it. */
  trigger?: ReactNode;
  /** Or: what it stands at, when it opens by itself. It then takes no focus and stays until it is closed. */
  anchor?: ReactNode;
  /** Name for screen readers. */
  label: string;
  align?: 'start' | 'center' | 'end';
  className?: string;
  children: ReactNode;
}

/** Further information on a control, over the page. */
export function Popover({ open, onOpenChange, trigger, anchor, label, align = 'end', className, children }: PopoverProps) {
  const byItself = anchor !== undefined;
  const anchorRef = useRef<HTMLDivElement>(null);

  /** Only when the focus would be lost: people may have gone on elsewhere. */
  function focusAnchor(event: Event) {
    event.preventDefault();
    if (document.activeElement === null || document.activeElement === document.body) anchorRef.current?.focus();
  }

  return (
    <Radix.Root {...(open === undefined ? {} : { open })} {...(onOpenChange === undefined ? {} : { onOpenChange })}>
      {byItself ? (
        <Radix.Anchor asChild ref={anchorRef}>
          {anchor}
        </Radix.Anchor>
      ) : (
        <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      )}
      <Radix.Portal>
        <Radix.Content
          aria-label={label}
          align={align}
          sideOffset={6}
          collisionPadding={8}
          {...(byItself ? { onOpenAutoFocus: preventDefault, onInteractOutside: preventDefault, onCloseAutoFocus: focusAnchor } : {})}
          className={cx(
            'z-30 max-h-[min(32rem,calc(100dvh-5rem))] w-88 max-w-[calc(100vw-1rem)] animate-rise-in overflow-y-auto rounded border bg-raised shadow-overlay',
            className,
          )}
        >
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

export const PopoverClose = Radix.Close;

function preventDefault(event: Event) {
  event.preventDefault();
}
