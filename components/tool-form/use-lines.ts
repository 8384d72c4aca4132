'use client';

import { useRef, useState } from 'react';
import type { ClipboardEvent, KeyboardEvent, RefObject } from 'react';
import { useAfterRender } from '#components/ui/use-after-render.ts';

export interface Lines {
  /** The text has or may have several lines, and needs a field that can hold them. */
  readonly several: boolean;
  readonly area: RefObject<HTMLTextAreaElement | null>;
  /** Of the field of one line. */
  readonly onPaste: (event: ClipboardEvent<HTMLInputElement>) => void;
  readonly onKeyDown: (event: KeyboardEvent<HTMLInputElement>) => void;
}

/**
 * A field of one line throws away line breaks without a word: a pasted key or list would be sent in another form than it was
 * copied in. Here it becomes a field of several lines once a line break is pasted, or asked for by Shift+Enter.
 */
export function useLines(text: string, always: boolean, onText: (text: string) => void): Lines {
  const [several, setSeveral] = useState(always || text.includes('\n'));
  const area = useRef<HTMLTextAreaElement>(null);
  const afterRender = useAfterRender();
  if (!several && text.includes('\n')) setSeveral(true);

  function insert(field: HTMLInputElement, added: string) {
    const from = field.selectionStart ?? text.length;
    const to = field.selectionEnd ?? from;
    afterRender(() => {
      area.current?.focus();
      area.current?.setSelectionRange(from + added.length, from + added.length);
    });
    setSeveral(true);
    onText(text.slice(0, from) + added + text.slice(to));
  }

  return {
    several,
    area,
    onPaste(event) {
      const pasted = event.clipboardData.getData('text/plain');
      if (!/[\r\n]/.test(pasted)) return;
      event.preventDefault();
      insert(event.currentTarget, pasted.replaceAll(/\r\n?/g, '\n'));
    },
    onKeyDown(event) {
      if (event.key !== 'Enter' || !event.shiftKey || event.ctrlKey || event.metaKey || event.altKey || event.nativeEvent.isComposing)
        return;
      event.preventDefault();
      insert(event.currentTarget, '\n');
    },
  };
}
