'use client';

import NextLink from 'next/link';
import { type ComponentProps, useEffect, useRef, useState } from 'react';

/**
 * A link for lists and the page frame. Next prefetches every visible link with two requests, which in a list would be dozens
 * while the page is still loading. This one prefetches when the pointer or focus rests on it.
 */
export function ListLink(props: Omit<ComponentProps<typeof NextLink>, 'prefetch' | 'onPointerEnter' | 'onPointerLeave'>) {
  const { hasRested, approach, leave } = useRest();
  return (
    <NextLink
      {...props}
      prefetch={hasRested ? null : false}
      onPointerEnter={approach}
      onPointerLeave={leave}
      onFocus={(event) => {
        approach();
        props.onFocus?.(event);
      }}
      onBlur={(event) => {
        leave();
        props.onBlur?.(event);
      }}
    />
  );
}

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
