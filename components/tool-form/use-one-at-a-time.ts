'use client';

import { useRef, useState } from 'react';

export interface OneAtATime {
  /** Something is under way. */
  readonly isBusy: boolean;
  /** Does it, or nothing while something is under way: a second press comes before the page has drawn what the first one did. */
  readonly start: (action: () => Promise<void>) => Promise<void>;
}

export function useOneAtATime(): OneAtATime {
  const busy = useRef(false);
  const [isBusy, setIsBusy] = useState(false);
  return {
    isBusy,
    async start(action) {
      if (busy.current) return;
      busy.current = true;
      setIsBusy(true);
      try {
        await action();
      } finally {
        busy.current = false;
        setIsBusy(false);
      }
    },
  };
}
