'use client';

import { Slot } from 'radix-ui/slot';
import { createContext, useContext, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { ReactNode } from 'react';
import { createPortal } from 'react-dom';
import { pressedKey } from './pressed-key.ts';

/*
 * Not a library: every icon button has a tooltip, and the positioning code of a library would be a tenth of a page's scripts.
 * Opens after a delay, immediately on keyboard focus or shortly after another tooltip; closes on press, Escape and scroll.
 */
const DELAY_MS = 350;
const SKIP_MS = 300;
const GAP = 6;
const EDGE = 8;

type Side = 'top' | 'right' | 'bottom' | 'left';

interface TooltipHistory {
  readonly closed: () => void;
  readonly wasOpen: () => boolean;
}

function createTooltipHistory(): TooltipHistory {
  let at = Number.NEGATIVE_INFINITY;
  return {
    closed() {
      at = performance.now();
    },
    wasOpen: () => performance.now() - at < SKIP_MS,
  };
}

const TooltipHistoryContext = createContext<TooltipHistory>({ closed: () => undefined, wasOpen: () => false });

export function TooltipProvider({ children }: { children: ReactNode }) {
  const [tooltipHistory] = useState(createTooltipHistory);
  return <TooltipHistoryContext value={tooltipHistory}>{children}</TooltipHistoryContext>;
}

/** Never the only source of information. */
export function Tooltip({
  text,
  hint,
  side = 'bottom',
  children,
}: {
  text: ReactNode;
  hint?: ReactNode;
  side?: Side;
  children: ReactNode;
}) {
  const tooltipHistory = useContext(TooltipHistoryContext);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const [anchor, setAnchor] = useState<Element | null>(null);

  useEffect(() => () => clearTimeout(timer.current), []);

  function open(element: Element, delay: number) {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setAnchor(element), delay);
  }

  function close() {
    clearTimeout(timer.current);
    if (anchor !== null) tooltipHistory.closed();
    setAnchor(null);
  }

  return (
    <>
      <Slot
        onPointerEnter={(event) => {
          if (event.pointerType === 'touch') return;
          open(event.currentTarget, tooltipHistory.wasOpen() ? 0 : DELAY_MS);
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
        <Bubble anchor={anchor} side={side} onClose={close}>
          {text}
          {hint}
        </Bubble>
      )}
    </>
  );
}

function Bubble({ anchor, side, onClose, children }: { anchor: Element; side: Side; onClose: () => void; children: ReactNode }) {
  const bubble = useRef<HTMLDivElement>(null);

  useLayoutEffect(() => {
    if (bubble.current !== null) place(bubble.current, anchor.getBoundingClientRect(), side);
  }, [anchor, side]);

  useEffect(() => {
    const key = (event: KeyboardEvent) => {
      if (pressedKey(event) === 'Escape') onClose();
    };
    document.addEventListener('keydown', key);
    document.addEventListener('scroll', onClose, true);
    return () => {
      document.removeEventListener('keydown', key);
      document.removeEventListener('scroll', onClose, true);
    };
  }, [onClose]);

  return createPortal(
    <div
      ref={bubble}
      role="tooltip"
      className="pointer-events-none fixed top-0 left-0 z-50 flex max-w-80 animate-fade-in items-center gap-2 rounded border bg-raised px-2 py-1 text-xs break-words text-fg shadow-overlay"
    >
      {children}
    </div>,
    document.body,
  );
}

/** Flips to the other side if there is no space, and stays inside the window. */
function place(bubble: HTMLElement, at: DOMRect, side: Side) {
  const { width, height } = bubble.getBoundingClientRect();
  const { clientWidth, clientHeight } = document.documentElement;
  const beside = side === 'left' || side === 'right';
  const before = beside ? at.left - GAP - width : at.top - GAP - height;
  const after = beside ? at.right + GAP : at.bottom + GAP;
  const fitsAfter = after + (beside ? width : height) + EDGE <= (beside ? clientWidth : clientHeight);
  const first = side === 'left' || side === 'top' ? (before >= EDGE ? before : after) : fitsAfter ? after : before;
  const left = beside ? first : at.left + at.width / 2 - width / 2;
  const top = beside ? at.top + at.height / 2 - height / 2 : first;
  bubble.style.left = `${Math.max(EDGE, Math.min(left, clientWidth - width - EDGE))}px`;
  bubble.style.top = `${Math.max(EDGE, Math.min(top, clientHeight - height - EDGE))}px`;
}
