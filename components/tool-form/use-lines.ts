'use client';

import { useRef, useState } from 'react';
import type { ClipboardEvent, DragEvent, KeyboardEvent, RefObject } from 'react';
import { pressedKey } from '#components/ui/pressed-key.ts';
import { useAfterRender } from '#components/ui/use-after-render.ts';

const BREAK = /[\r\n]/;
const BREAKS = /\r\n?/g;

export interface Lines {
  /** The text has or may have several lines, and needs a field that can hold them. */
  readonly several: boolean;
  readonly area: RefObject<HTMLTextAreaElement | null>;
  /** Of the field of one line. */
  readonly onPaste: (event: ClipboardEvent<HTMLInputElement>) => void;
  readonly onDrop: (event: DragEvent<HTMLInputElement>) => void;
  readonly onKeyDown: (event: KeyboardEvent<HTMLInputElement>) => void;
}

/**
 * A field of one line throws away line breaks without a word: a pasted key or list would be sent in another form than it was
 * copied in. Here it becomes a field of several lines once a line break is pasted or dropped, or asked for by Shift+Enter.
 */
export function useLines(text: string, always: boolean, onText: (text: string) => void): Lines {
  const [several, setSeveral] = useState(always || text.includes('\n'));
  const area = useRef<HTMLTextAreaElement>(null);
  const afterRender = useAfterRender();
  if (!several && text.includes('\n')) setSeveral(true);

  function insert(added: string, from: number, to: number) {
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
      if (!BREAK.test(pasted)) return;
      event.preventDefault();
      insert(pasted.replaceAll(BREAKS, '\n'), ...selectionOf(event.currentTarget));
    },
    onDrop(event) {
      const dropped = event.dataTransfer.getData('text/plain');
      if (!BREAK.test(dropped)) return;
      event.preventDefault();
      const at = droppedAt(event) ?? text.length;
      insert(dropped.replaceAll(BREAKS, '\n'), at, at);
    },
    onKeyDown(event) {
      if (pressedKey(event) !== 'Enter' || !event.shiftKey || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      insert('\n', ...selectionOf(event.currentTarget));
    },
  };
}

function selectionOf({ selectionStart, selectionEnd, value }: HTMLInputElement): [from: number, to: number] {
  const from = selectionStart ?? value.length;
  return [from, selectionEnd ?? from];
}

/** Between which letters the mouse let go; null where the browser cannot tell. */
function droppedAt({ clientX, clientY, currentTarget }: DragEvent<HTMLInputElement>): number | null {
  if (!('caretPositionFromPoint' in document)) return null;
  const caret = document.caretPositionFromPoint(clientX, clientY);
  return caret?.offsetNode === currentTarget ? caret.offset : null;
}
