'use client';

import { useState } from 'react';

export interface ItemKeys {
  readonly keys: readonly number[];
  /** The keys as they stand after the items were moved about; a new item has none yet. */
  readonly arrange: (order: readonly (number | null)[]) => void;
}

/** A key for each item of a list that goes along when the item is moved, so that its field keeps what was typed. */
export function useItemKeys(count: number): ItemKeys {
  const [state, setState] = useState<{ readonly keys: readonly number[]; readonly next: number }>({ keys: [], next: 0 });
  let { keys, next } = state;
  if (keys.length !== count) {
    // A list that was changed from elsewhere, as JSON for one.
    const added = Array.from({ length: Math.max(0, count - keys.length) }, (_, index) => next + index);
    keys = [...keys.slice(0, count), ...added];
    next += added.length;
    setState({ keys, next });
  }
  return {
    keys,
    arrange(order) {
      let fresh = next;
      const arranged = order.map((key) => {
        if (key !== null) return key;
        fresh += 1;
        return fresh - 1;
      });
      setState({ keys: arranged, next: fresh });
    },
  };
}
