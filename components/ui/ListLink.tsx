'use client';

import NextLink from 'next/link';
import { useEffect, useRef, useState } from 'react';
import type { ComponentProps } from 'react';

/** Rows that pass under a resting pointer while the list is scrolled, or under the focus while an arrow key is held, are not meant. */
const RESTS_MS = 80;

/**
 * A link of which a page shows many. Next reads the page behind each link that is in view; of a list that would be dozens of
 * requests for pages that nobody opens. Here it is read when the pointer or the focus rests on the link.
 */
export function ListLink(props: Omit<ComponentProps<typeof NextLink>, 'prefetch' | 'onPointerEnter' | 'onPointerLeave'>) {
  const [isNear, setIsNear] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const leave = () => clearTimeout(timer.current);
  const approach = () => {
    leave();
    timer.current = setTimeout(() => setIsNear(true), RESTS_MS);
  };
  useEffect(() => leave, []);
  return (
    <NextLink
      {...props}
      prefetch={isNear ? null : false}
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
