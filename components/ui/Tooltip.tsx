'use client';

import type * as TooltipRadix from 'radix-ui/tooltip';
import { Slot } from 'radix-ui/slot';
import { Suspense, useEffect, useRef, useState } from 'react';
import type { ReactNode } from 'react';
import { lazyWith, RADIX } from './lazy-part.tsx';
import { keepOpenWhileComposing } from './pressed-key.ts';

const DELAY_MS = 350;
/** The next tooltip opens immediately within this time. */
const SKIP_MS = 300;

let closedAt = Number.NEGATIVE_INFINITY;

const Bubble = lazyWith<typeof TooltipRadix, BubbleProps>(RADIX.tooltip, BubblePart);

/** Never the only source of information. Radix loads with the first one: every page has tooltips, few are shown. */
export function Tooltip({ text, hint, children }: { text: ReactNode; hint?: ReactNode; children: ReactNode }) {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const [anchor, setAnchor] = useState<Element | null>(null);

  useEffect(() => () => clearTimeout(timer.current), []);

  function open(element: Element, delay: number) {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setAnchor(element), delay);
  }

  function close() {
    clearTimeout(timer.current);
    if (anchor !== null) closedAt = performance.now();
    setAnchor(null);
  }

  return (
    <>
      <Slot
        onPointerEnter={(event) => {
          if (event.pointerType === 'touch') return;
          open(event.currentTarget, performance.now() - closedAt < SKIP_MS ? 0 : DELAY_MS);
        }}
        onPointerLeave={close}
        onPointerDown={close}
        onFocus={(event) => {
          if (event.currentTarget.matches(':focus-visible')) open(event.currentTarget, 0);
        }}
        onBlur={close}
      >
        {children}
      </Slot>
      {anchor === null ? null : (
        <Suspense fallback={null}>
          <Bubble anchor={anchor} onClose={close}>
            {text}
            {hint}
          </Bubble>
        </Suspense>
      )}
    </>
  );
}

interface BubbleProps {
  anchor: Element;
  onClose: () => void;
  children: ReactNode;
}

/** Anchored at an empty element over the trigger. */
function BubblePart({ library: Radix, anchor, onClose, children }: BubbleProps & { library: typeof TooltipRadix }) {
  const { left, top, width, height } = anchor.getBoundingClientRect();
  return (
    <Radix.Provider>
      <Radix.Root open onOpenChange={onClose}>
        <Radix.Portal>
          <Radix.Trigger asChild>
            <span aria-hidden tabIndex={-1} className="pointer-events-none fixed" style={{ left, top, width, height }} />
          </Radix.Trigger>
        </Radix.Portal>
        <Radix.Portal>
          <Radix.Content
            onEscapeKeyDown={keepOpenWhileComposing}
            side="bottom"
            sideOffset={6}
            collisionPadding={8}
            className="pointer-events-none z-50 flex max-w-80 animate-fade-in items-center gap-2 rounded border bg-raised px-2 py-1 text-xs break-words text-fg shadow-overlay"
          >
            {children}
          </Radix.Content>
        </Radix.Portal>
      </Radix.Root>
    </Radix.Provider>
  );
}
