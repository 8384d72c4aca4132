'use client';

import { useEffect, useRef, useState } from 'react';

/** Rows that pass under a resting pointer while a list is scrolled, or under the focus while an arrow key is held, are not meant. */
const RESTS_MS = 80;

/** Whether the pointer or the focus has rested on an element, which tells when they come and go. Once true it stays so. */
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
