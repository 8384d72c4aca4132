'use client';

import { useEffect, useRef, useState } from 'react';

/** Rows that pass under the pointer while scrolling, or under the focus while a key is held, do not count. */
const RESTS_MS = 80;

/** Whether the pointer or focus has rested on an element. Once true it stays true. */
export function useRest() {
  const [hasRested, setRested] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const leave = () => clearTimeout(timer.current);
  const approach = () => {
    leave();
    timer.current = setTimeout(() => setRested(true), RESTS_MS);
  };
  useEffect(() => leave, []);
  return { hasRested, approach, leave };
}
