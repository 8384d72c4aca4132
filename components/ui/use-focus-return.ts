'use client';

import { useRef } from 'react';

export interface FocusReturn {
  readonly onOpenAutoFocus: (event: Event) => void;
  readonly onCloseAutoFocus: (event: Event) => void;
}

/**
 * Gives the focus back to where it was when a dialog closes. Radix gives it only to its own trigger, and a dialog that is
 * opened by state has none. Where the element is gone by then, the page's content takes the focus.
 */
export function useFocusReturn(onOpen?: (event: Event) => void): FocusReturn {
  const before = useRef<Element | null>(null);
  return {
    onOpenAutoFocus(event) {
      before.current = document.activeElement;
      onOpen?.(event);
    },
    onCloseAutoFocus(event) {
      event.preventDefault();
      const target = before.current;
      if (target instanceof HTMLElement && target !== document.body && target.isConnected) target.focus();
      else document.getElementById('content')?.focus({ preventScroll: true });
    },
  };
}
