'use client';

import { useLinkStatus } from 'next/link';
import { cx } from '#components/ui/cx.ts';
import { Spinner } from '#components/ui/Spinner.tsx';
import { useLate } from '#components/ui/use-late.ts';
import type { Place } from './navigation.ts';

/** Becomes a spinner while the page loads. */
export function PlaceIcon({ icon: Icon, className }: { icon: Place['icon']; className: string }) {
  const { pending } = useLinkStatus();
  return useLate(pending) ? (
    <Spinner className={cx(className, 'items-center justify-center')} />
  ) : (
    <Icon aria-hidden className={className} />
  );
}
