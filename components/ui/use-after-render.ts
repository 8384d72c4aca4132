import { useLayoutEffect, useRef } from 'react';

/**
 * Keeps an action until what a person just changed stands on the page, and runs it before the browser handles the next key:
 * a focus that moves a frame later loses the first letters of whoever types on at once.
 */
export function useAfterRender(): (action: () => void) => void {
  const waiting = useRef<(() => void) | null>(null);
  useLayoutEffect(() => {
    const action = waiting.current;
    waiting.current = null;
    action?.();
  });
  return (action) => {
    waiting.current = action;
  };
}
