'use client';

import { useLinkStatus } from 'next/link';
import { cx } from '#components/ui/cx.ts';
import { Spinner } from '#components/ui/Spinner.tsx';
import { useLate } from '#components/ui/use-late.ts';
import type { Place } from './navigation.ts';

/** The sign of a place inside its link; it turns while the page is on its way for longer than a moment. */
export function PlaceIcon({ icon: Icon, className }: { icon: Place['icon']; className: string }) {
  const { pending } = useLinkStatus();
  return useLate(pending) ? (
    <Spinner className={cx(className, 'items-center justify-center')} />
  ) : (
    <Icon aria-hidden className={className} />
  );
}
