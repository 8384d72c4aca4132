'use client';

import { useEffect, useState } from 'react';

/** As the skeletons: what is over sooner shows no sign that it was under way. */
const LATE_MS = 300;

/** Whether something has been under way for longer than a moment. */
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
