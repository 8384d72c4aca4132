'use client';

import NextLink, { useLinkStatus } from 'next/link';
import { type ComponentProps, type RefObject, useEffect, useImperativeHandle, useRef, useState } from 'react';
import { cx } from './cx.ts';

/**
 * A link for lists and the page frame. Next prefetches every visible link with two requests, which in a list would be dozens
 * while the page is still loading. This one prefetches when the pointer or focus rests on it, fades while its page is awaited,
 * and gets the focus after Back, so that keys continue where the person left.
 */
export function ListLink({
  children,
  className,
  ref,
  ...props
}: Omit<ComponentProps<typeof NextLink>, 'prefetch' | 'onPointerEnter' | 'onPointerLeave' | 'onNavigate'>) {
  const { hasRested, approach, leave } = useHoverIntent();
  const link = useRef<HTMLAnchorElement>(null);
  useImperativeHandle<HTMLAnchorElement | null, HTMLAnchorElement | null>(ref, () => link.current, []);
  useFocusAfterBack(link);
  return (
    <NextLink
      {...props}
      ref={link}
      onNavigate={() => followed.set(location.href, link.current?.getAttribute('href') ?? '')}
      className={cx('has-[>[data-awaited]]:cursor-progress has-[>[data-awaited]]:opacity-60', className)}
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
    >
      {children}
      <PendingMarker />
    </NextLink>
  );
}

/** Address of the link that was followed last, by the address of its page. */
const followed = new Map<string, string>();
let returned: string | undefined;

if (typeof window !== 'undefined') window.addEventListener('popstate', () => void (returned = followed.get(location.href)));

function useFocusAfterBack(link: RefObject<HTMLAnchorElement | null>): void {
  useEffect(() => {
    if (returned === undefined || link.current?.getAttribute('href') !== returned || !isFocusFree()) return;
    returned = undefined;
    link.current.focus({ preventScroll: true });
  }, [link]);
}

/** After a navigation the focus is on the content of the page. */
function isFocusFree(): boolean {
  return document.activeElement === document.body || document.activeElement?.id === 'content';
}

function PendingMarker() {
  const { pending } = useLinkStatus();
  return useDelayedPending(pending) ? <span data-awaited hidden /> : null;
}

/** Rows that pass under the pointer while scrolling, or under the focus while a key is held, do not count. */
const HOVER_INTENT_MS = 80;

/** Whether the pointer or focus has rested on an element. Once true it stays true. */
export function useHoverIntent() {
  const [hasRested, setRested] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const leave = () => clearTimeout(timer.current);
  const approach = () => {
    leave();
    timer.current = setTimeout(() => setRested(true), HOVER_INTENT_MS);
  };
  useEffect(() => leave, []);
  return { hasRested, approach, leave };
}

/** Same delay as skeletons: shorter waits show no indicator. */
const DELAY_MS = 300;

/** Whether something has been pending for longer than the delay. */
export function useDelayedPending(isPending: boolean): boolean {
  const [isDelayed, setIsDelayed] = useState(false);
  useEffect(() => {
    if (!isPending) return;
    const timer = setTimeout(() => setIsDelayed(true), DELAY_MS);
    return () => {
      clearTimeout(timer);
      setIsDelayed(false);
    };
  }, [isPending]);
  return isDelayed && isPending;
}
