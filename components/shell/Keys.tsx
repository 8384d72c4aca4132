'use client';

import { usePathname, useRouter } from 'next/navigation';
import { useEffect, useEffectEvent, useRef } from 'react';
import { pressedKey } from '#components/ui/pressed-key.ts';
import { isTextInput } from '#components/ui/use-page-keys.ts';
import { NAV_ITEMS, useFurtherNavItems } from './navigation.ts';
import { shellState } from './shell-state.ts';

const CHORD_MS = 1_500;

export function Keys(): null {
  const router = useRouter();
  const pathname = usePathname();
  const navItems = [...NAV_ITEMS, ...useFurtherNavItems()];
  const chord = useRef(Number.NEGATIVE_INFINITY);
  const firstPath = useRef(pathname);

  const pressed = useEffectEvent((event: KeyboardEvent) => {
    const key = pressedKey(event);
    if ((event.metaKey || event.ctrlKey) && !event.altKey && !event.shiftKey && key.toLowerCase() === 'k') {
      event.preventDefault();
      if (!event.repeat) shellState.show(shellState.open() === 'palette' ? null : 'palette');
      return;
    }
    if (shellState.open() === 'palette' && !(event.target instanceof HTMLElement && event.target.hasAttribute('cmdk-input')))
      return typeAhead(event);
    if (event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target)) return;
    if (key === '?') {
      event.preventDefault();
      shellState.show('keys');
    } else if (key === '/') {
      const fields = [...document.querySelectorAll<HTMLInputElement>('main [role=search] input')];
      const search = fields.find((field) => field.checkVisibility());
      if (search === undefined) return;
      event.preventDefault();
      search.focus();
      search.select();
    } else if (key === 'g') {
      chord.current = event.timeStamp;
    } else if (event.timeStamp - chord.current < CHORD_MS) {
      chord.current = Number.NEGATIVE_INFINITY;
      const navItem = navItems.find((each) => each.key === key);
      if (navItem === undefined) return;
      event.preventDefault();
      router.push(navItem.href);
    } else if (!event.repeat && PAGE_KEYS.find((each) => each.key === key)?.act() === true) {
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

  /* After a navigation the focused element may be gone; the focus moves to the page content. */
  useEffect(() => {
    if (firstPath.current === pathname) return;
    firstPath.current = pathname;
    if (document.activeElement === null || document.activeElement === document.body)
      document.getElementById('content')?.focus({ preventScroll: true });
  }, [pathname]);

  return null;
}

/** While the palette loads, typed text belongs to it, wherever the focus is. */
function typeAhead(event: KeyboardEvent): void {
  const key = pressedKey(event);
  const writes = (!event.ctrlKey && !event.altKey && !event.metaKey) || event.getModifierState('AltGraph');
  if (!writes || key === '') return;
  if (key === 'Escape') shellState.show(null);
  else if (key !== 'Enter' && !shellState.typeAhead(key)) return;
  event.preventDefault();
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement) || target instanceof HTMLInputElement) return isTextInput(target);
  return isTextInput(target) || target.closest('[role=dialog], [role=alertdialog], [role=menu], [role=listbox]') !== null;
}

/** Keys for actions that a page may have. Ignored without the action or under an overlay. */
interface PageKey {
  readonly key: string;
  readonly words: string;
  act(): boolean;
}

const FIELDS = 'main :is(input, textarea, select, [contenteditable=true])[data-path], main [data-path] input';

export const PAGE_KEYS: readonly PageKey[] = [
  { key: 'f', words: 'Go to the first field of the form', act: () => withFirst(FIELDS, (field) => field.focus()) },
  {
    key: 'c',
    words: 'Copy the call as a command, a request or code',
    act: () => withFirst('main [data-copy-as]', (button) => button.click()),
  },
];

function withFirst(selector: string, act: (found: HTMLElement) => void): boolean {
  if (document.querySelector('[role=dialog], [role=menu], [role=listbox]') !== null) return false;
  const found = document.querySelector<HTMLElement>(selector);
  if (found !== null) act(found);
  return found !== null;
}
