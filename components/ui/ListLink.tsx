'use client';

import NextLink from 'next/link';
import type { ComponentProps } from 'react';
import { useRest } from './use-rest.ts';

/**
 * A link of which a page shows many, those of its frame included. Next reads the page behind each link that is in view, by two
 * requests; of a list that would be dozens for pages that nobody opens, while the page at hand is still being made ready. Here it
 * is read when the pointer or the focus rests on the link.
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
