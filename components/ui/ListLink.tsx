'use client';

import NextLink from 'next/link';
import { useState } from 'react';
import type { ComponentProps } from 'react';

/**
 * A link of which a page shows many, those of its frame included. Next reads the page behind each link that is in view, by two
 * requests; of a list that would be dozens for pages that nobody opens, while the page at hand is still being made ready. Here it
 * is read when the pointer or the focus comes near.
 */
export function ListLink(props: Omit<ComponentProps<typeof NextLink>, 'prefetch' | 'onPointerEnter'>) {
  const [isNear, setIsNear] = useState(false);
  const approach = () => setIsNear(true);
  return (
    <NextLink
      {...props}
      prefetch={isNear ? null : false}
      onPointerEnter={approach}
      onFocus={(event) => {
        approach();
        props.onFocus?.(event);
      }}
    />
  );
}
