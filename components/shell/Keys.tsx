'use client';

import { usePathname, useRouter } from 'next/navigation';
import { useEffect, useEffectEvent, useRef } from 'react';
import type { ReactNode } from 'react';
import { Dialog } from '#components/ui/Dialog.tsx';
import { Kbd } from '#components/ui/Kbd.tsx';
import { useMay } from '#lib/client/SessionProvider.tsx';
import { PLACES } from './navigation.ts';
import { PAGE_KEYS } from './page-keys.ts';
import { shellState } from './shell-state.ts';
import { useOverlay } from './use-overlay.ts';
import { useTeamPlaces } from './use-team-places.ts';

const CHORD_MS = 1_500;

/** Listens for the keys that work on every page and shows them all on `?`. */
export function Keys() {
  const router = useRouter();
  const pathname = usePathname();
  const [open, setOpen] = useOverlay('keys');
  const places = [...PLACES, ...useTeamPlaces()];
  const mayReview = useMay('failures.review');
  const chord = useRef(Number.NEGATIVE_INFINITY);
  const firstPath = useRef(pathname);

  const pressed = useEffectEvent((event: KeyboardEvent) => {
    if ((event.metaKey || event.ctrlKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === 'k') {
      event.preventDefault();
      if (!event.repeat) shellState.show(shellState.open() === 'palette' ? null : 'palette');
      return;
    }
    if (shellState.open() === 'palette' && !isPaletteField(event.target)) return typeAhead(event);
    if (event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target)) return;
    if (event.key === '?') {
      event.preventDefault();
      shellState.show('keys');
    } else if (event.key === '/') {
      const search = document.querySelector<HTMLInputElement>('main [role=search] input');
      if (search === null) return;
      event.preventDefault();
      search.focus();
      search.select();
    } else if (event.key === 'g') {
      chord.current = event.timeStamp;
    } else if (event.timeStamp - chord.current < CHORD_MS) {
      chord.current = Number.NEGATIVE_INFINITY;
      const place = places.find((each) => each.key === event.key);
      if (place === undefined) return;
      event.preventDefault();
      router.push(place.href);
    } else if (!event.repeat && PAGE_KEYS.find((each) => each.key === event.key)?.act() === true) {
      event.preventDefault();
    }
  });

  useEffect(() => {
    function listen(event: KeyboardEvent) {
      pressed(event);
    }
    document.addEventListener('keydown', listen);
    return () => document.removeEventListener('keydown', listen);
  }, []);

  /* After a change of page the control that had the focus may be gone: the page's content takes it. */
  useEffect(() => {
    if (firstPath.current === pathname) return;
    firstPath.current = pathname;
    if (document.activeElement === null || document.activeElement === document.body)
      document.getElementById('content')?.focus({ preventScroll: true });
  }, [pathname]);

  return (
    <Dialog open={open} onOpenChange={setOpen} title="Keys">
      <dl className="grid grid-cols-[auto_1fr] items-center gap-x-6 gap-y-2">
        <Row keys={['Ctrl or ⌘', 'K']}>Find a tool, an extension, a channel, a page or an action</Row>
        <Row keys={['/']}>Search on this page</Row>
        {places.map((place) => (
          <Row key={place.href} keys={['g', place.key]}>
            Go to {place.name}
          </Row>
        ))}
        <Row keys={['Ctrl or ⌘', 'Enter']}>Run the tool whose form is open; send a comment</Row>
        {PAGE_KEYS.map(({ key, words }) => (
          <Row key={key} keys={[key]}>
            {words}
          </Row>
        ))}
        <Row keys={['j', 'k']}>Next and previous call or failure in the list</Row>
        <Row keys={['Enter']}>Open the call or failure on a page of its own</Row>
        {mayReview ? (
          <>
            <Row keys={['a']}>Assign the failure to me</Row>
            <Row keys={['e']}>Acknowledge the failure</Row>
            <Row keys={['i']}>Ignore the failure</Row>
          </>
        ) : null}
        <Row keys={['o']}>Open the source of the failure</Row>
        <Row keys={['Esc']}>Close what is open; empty a search</Row>
        <Row keys={['?']}>Show the keys</Row>
      </dl>
    </Dialog>
  );
}

function Row({ keys, children }: { keys: readonly string[]; children: ReactNode }) {
  return (
    <>
      <dt className="flex gap-1">
        {keys.map((key) => (
          <Kbd key={key}>{key}</Kbd>
        ))}
      </dt>
      <dd>{children}</dd>
    </>
  );
}

/** The palette is on its way: what is typed is for it, wherever the focus still is. */
function typeAhead(event: KeyboardEvent): void {
  const writes = (!event.ctrlKey && !event.altKey && !event.metaKey) || event.getModifierState('AltGraph');
  if (event.isComposing || !writes) return;
  if (event.key === 'Escape') shellState.show(null);
  else if (event.key !== 'Enter' && !shellState.typeAhead(event.key)) return;
  event.preventDefault();
}

function isPaletteField(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.hasAttribute('cmdk-input');
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement) return true;
  if (target instanceof HTMLInputElement) return !['checkbox', 'radio', 'button', 'submit', 'range'].includes(target.type);
  return target.closest('[role=dialog], [role=menu], [role=listbox]') !== null;
}
