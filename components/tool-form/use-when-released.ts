'use client';

import { useCallback, useEffect, useRef } from 'react';

/**
 * Tells at once which field was left, or, where it was left by pressing a button of the mouse, once that is released. Words that
 * appear in between would push what is being pressed from under the pointer, and the press would be lost.
 */
export function useWhenReleased(tell: (pointers: readonly string[]) => void): (pointer: string) => void {
  const pressed = useRef(false);
  const waiting = useRef<string[]>([]);

  useEffect(() => {
    const press = () => {
      pressed.current = true;
    };
    const release = () => {
      pressed.current = false;
      // After the click that follows.
      setTimeout(() => {
        if (waiting.current.length > 0) tell(waiting.current.splice(0));
      });
    };
    document.addEventListener('pointerdown', press, true);
    document.addEventListener('pointerup', release, true);
    document.addEventListener('pointercancel', release, true);
    return () => {
      document.removeEventListener('pointerdown', press, true);
      document.removeEventListener('pointerup', release, true);
      document.removeEventListener('pointercancel', release, true);
    };
  }, [tell]);

  return useCallback(
    (pointer: string) => {
      if (pressed.current) waiting.current.push(pointer);
      else tell([pointer]);
    },
    [tell],
  );
}
