'use client';

import { useEffect, useEffectEvent } from 'react';
import { isJsonObject, readJson } from './json-text.ts';
import type { Payload } from './payload.ts';

export type Pasted = { readonly payload: Payload } | { readonly problem: string };

/** As JSON stands in Markdown, and in what a model answers. */
const FENCED = /^\s*`{3,}[^\n`]*\n([^]*?)\s*`{3,}\s*$/;

/** A text that is one whole JSON object, also one that is fenced or itself a text of JSON; null for what was never meant as JSON. */
export function readPasted(copied: string): Pasted | null {
  const text = withoutFence(copied);
  if (!/^\s*[{["]/.test(text)) return null;
  const reading = readJson(text);
  if (!reading.ok) {
    const { message, line, column } = reading.problem;
    return text.trimStart().startsWith('"')
      ? null
      : { problem: `What was pasted cannot be read. Line ${line}, column ${column}: ${message}` };
  }
  if (isJsonObject(reading.value)) return { payload: reading.value };
  if (typeof reading.value === 'string') return readPasted(reading.value);
  return { problem: 'What was pasted is a list. The arguments are one JSON object: {"name": value, …}.' };
}

/** The lines keep their numbers. */
function withoutFence(text: string): string {
  const fenced = FENCED.exec(text);
  if (fenced === null) return text;
  const [whole, inner = ''] = fenced;
  const before = whole.slice(0, whole.indexOf('\n', whole.indexOf('```')) + 1);
  return '\n'.repeat(before.split('\n').length - 1) + inner;
}

/** A JSON object that is pasted anywhere but into a field for text becomes the arguments. */
export function usePaste(onPaste: (pasted: Pasted) => void): void {
  const pasted = useEffectEvent((event: ClipboardEvent) => {
    if (isField(event.target) || document.querySelector('[role=dialog]') !== null) return;
    const read = readPasted(event.clipboardData?.getData('text/plain') ?? '');
    if (read === null) return;
    event.preventDefault();
    onPaste(read);
  });

  useEffect(() => {
    const listen = (event: ClipboardEvent) => pasted(event);
    document.addEventListener('paste', listen);
    return () => document.removeEventListener('paste', listen);
  }, []);
}

function isField(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && (target.isContentEditable || target.matches('input:not([type=radio], [type=checkbox]), textarea'))
  );
}
