'use client';

import * as Radix from 'radix-ui/tooltip';
import type { ReactNode } from 'react';

/** Once, around the app. */
export function TooltipProvider({ children }: { children: ReactNode }) {
  return (
    <Radix.Provider delayDuration={350} skipDelayDuration={150}>
      {children}
    </Radix.Provider>
  );
}

/** Repeats or explains what a control is; never the only place of a piece of information. */
export function Tooltip({
  text,
  hint,
  side = 'bottom',
  children,
}: {
  text: ReactNode;
  hint?: ReactNode;
  side?: 'top' | 'right' | 'bottom' | 'left';
  children: ReactNode;
}) {
  return (
    <Radix.Root>
      <Radix.Trigger asChild>{children}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          side={side}
          sideOffset={6}
          collisionPadding={8}
          className="z-50 flex max-w-80 animate-fade-in items-center gap-2 rounded border bg-raised px-2 py-1 text-xs break-words text-fg shadow-overlay"
        >
          {text}
          {hint}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
