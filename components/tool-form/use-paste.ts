'use client';

import { useEffect, useEffectEvent } from 'react';
import { isJsonObject, readJson } from './json-text.ts';
import type { Payload } from './payload.ts';

/** A text that is one whole JSON object, or null. */
export function readPasted(text: string): Payload | null {
  if (!text.trim().startsWith('{')) return null;
  const reading = readJson(text);
  return reading.ok && isJsonObject(reading.value) ? reading.value : null;
}

/** A JSON object that is pasted anywhere but into a field becomes the arguments. */
export function usePaste(onPaste: (payload: Payload) => void): void {
  const pasted = useEffectEvent((event: ClipboardEvent) => {
    if (isField(event.target) || document.querySelector('[role=dialog]') !== null) return;
    const payload = readPasted(event.clipboardData?.getData('text/plain') ?? '');
    if (payload === null) return;
    event.preventDefault();
    onPaste(payload);
  });

  useEffect(() => {
    const listen = (event: ClipboardEvent) => pasted(event);
    document.addEventListener('paste', listen);
    return () => document.removeEventListener('paste', listen);
  }, []);
}

function isField(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || target.matches('input, textarea, select'));
}
