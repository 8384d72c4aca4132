'use client';

import * as Radix from 'radix-ui/dialog';
import type { ReactNode } from 'react';
import { keepOpenWhileComposing } from './pressed-key.ts';
import { useFocusReturn } from './use-focus-return.ts';

/** A dialog without a frame of its own, near the top of the window: for a search that fills it. */
export function PaletteDialog({
  open,
  onOpenChange,
  title,
  children,
}: {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  /** For screen readers; not shown. */
  title: string;
  children: ReactNode;
}) {
  const focus = useFocusReturn();
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 animate-fade-in bg-scrim" />
        <Radix.Content
          onEscapeKeyDown={keepOpenWhileComposing}
          aria-describedby={undefined}
          {...focus}
          className="fixed top-[12dvh] left-1/2 z-40 w-[calc(100vw-2rem)] max-w-xl -translate-x-1/2 animate-rise-in overflow-hidden rounded border bg-raised shadow-overlay"
        >
          <Radix.Title className="sr-only">{title}</Radix.Title>
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
