'use client';

import { useEffect, useState } from 'react';

/** Same delay as skeletons: shorter waits show no indicator. */
const LATE_MS = 300;

/** Whether something has been pending for longer than the delay. */
export function useLate(underWay: boolean): boolean {
  const [late, setLate] = useState(false);
  useEffect(() => {
    if (!underWay) return;
    const timer = setTimeout(() => setLate(true), LATE_MS);
    return () => {
      clearTimeout(timer);
      setLate(false);
    };
  }, [underWay]);
  return late && underWay;
}
