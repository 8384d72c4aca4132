import { useEffectEvent, useLayoutEffect } from 'react';
import { pressedKey } from './pressed-key.ts';

const CHORD_MS = 1_500;

/**
 * Single-key shortcuts of a page. Ignored while typing, under an overlay, as the second key of a `g …` chord, and right after
 * Ctrl-K, when keys belong to the palette.
 */
export function usePageKeys(actions: Readonly<Record<string, () => unknown>>): void {
  const pressed = useEffectEvent((event: KeyboardEvent) => {
    const action = actions[pressedKey(event)];
    const mayRepeat = pressedKey(event) === 'j' || pressedKey(event) === 'k';
    if (action === undefined || event.defaultPrevented || (event.repeat && !mayRepeat)) return;
    event.preventDefault();
    action();
  });

  // A layout effect: keys pressed right after a navigation belong to the new page.
  useLayoutEffect(() => {
    let quietUntil = Number.NEGATIVE_INFINITY;
    function listen(event: KeyboardEvent) {
      const isQuiet = event.timeStamp < quietUntil;
      if ((event.metaKey || event.ctrlKey) && pressedKey(event) === 'k') quietUntil = event.timeStamp + CHORD_MS;
      if (event.metaKey || event.ctrlKey || event.altKey || isBusy(event.target)) return;
      if (pressedKey(event) === 'g') quietUntil = event.timeStamp + CHORD_MS;
      if (!isQuiet) pressed(event);
    }
    document.addEventListener('keydown', listen);
    return () => document.removeEventListener('keydown', listen);
  }, []);
}

function isBusy(target: EventTarget | null): boolean {
  return document.querySelector('[role=dialog], [role=alertdialog], [role=menu], [role=listbox]') !== null || isTextInput(target);
}

export function isTextInput(target: EventTarget | null): boolean {
  if (target instanceof HTMLInputElement) return !['checkbox', 'radio', 'button', 'submit', 'range'].includes(target.type);
  if (target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement) return true;
  return target instanceof HTMLElement && target.isContentEditable;
}
