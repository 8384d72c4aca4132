'use client';

import { useCallback } from 'react';
import { useFormView } from './form-view.ts';

/** For the element around a group of fields: tells the form when the focus has left all of them. */
export function useLeave(pointer: string): (element: HTMLElement | null) => (() => void) | undefined {
  const { onVisit } = useFormView();
  return useCallback(
    (element: HTMLElement | null) => {
      if (element === null) return undefined;
      const left = ({ relatedTarget }: FocusEvent) => {
        if (!(relatedTarget instanceof Node) || !element.contains(relatedTarget)) onVisit(pointer);
      };
      element.addEventListener('focusout', left);
      return () => element.removeEventListener('focusout', left);
    },
    [pointer, onVisit],
  );
}
