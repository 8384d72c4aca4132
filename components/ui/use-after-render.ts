import { useLayoutEffect, useRef } from 'react';

/**
 * Runs an action after the change is rendered and before the browser handles the next key: a focus that moves a frame later
 * would lose the first typed letters.
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
