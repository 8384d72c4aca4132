'use client';

import NextLink from 'next/link';
import type { ComponentProps } from 'react';
import { useRest } from './use-rest.ts';

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
