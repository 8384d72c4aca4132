'use client';

import { createContext, useContext, useEffect, useState } from 'react';
import type { Drafts } from './drafts.ts';
import { useFormView } from './form-view.tsx';
import { isWithin } from './issues.ts';
import { isJsonObject, readJson } from './json-text.ts';

/** Incomplete input by pointer: not part of the arguments, but stored like them. */
interface IncompleteInput {
  read(pointer: string): string | null;
  write(pointer: string, text: string | null): void;
  /** Items inside a value were moved or removed. */
  forgetWithin(pointer: string): void;
}

const NO_INPUT: IncompleteInput = { read: () => null, write: () => undefined, forgetWithin: () => undefined };

export const IncompleteInputContext = createContext<IncompleteInput>(NO_INPUT);

/** @param mayStore false for input that may be a secret */
export function createIncompleteInput(
  drafts: Pick<Drafts, 'read' | 'write'>,
  tool: string,
  mayStore: (half: string) => boolean = () => true,
): IncompleteInput {
  const known = new Map(entriesOf(drafts.read(tool, 'half')));
  const save = () => drafts.write(tool, 'half', known.size === 0 ? null : JSON.stringify(Object.fromEntries(known)));
  return {
    read: (pointer) => known.get(pointer) ?? null,
    write(pointer, text) {
      if ((known.get(pointer) ?? null) === text) return;
      if (text === null || !mayStore(`${pointer} ${text}`)) known.delete(pointer);
      else known.set(pointer, text);
      save();
    },
    forgetWithin(pointer) {
      const gone = [...known.keys()].filter((each) => each !== pointer && isWithin(each, pointer));
      for (const each of gone) known.delete(each);
      if (gone.length > 0) save();
    },
  };
}

function entriesOf(stored: string | null): readonly (readonly [string, string])[] {
  const reading = readJson(stored ?? '{}');
  if (!reading.ok || !isJsonObject(reading.value)) return [];
  return Object.entries(reading.value).flatMap(([pointer, text]) => (typeof text === 'string' ? [[pointer, text] as const] : []));
}

export function useStoredInput(pointer: string): string | null {
  const incomplete = useContext(IncompleteInputContext);
  const [first] = useState(() => incomplete.read(pointer));
  return first;
}

/** Stores incomplete input of a field; null once complete. */
export function useStoreInput(pointer: string, text: string | null): void {
  const incomplete = useContext(IncompleteInputContext);
  useEffect(() => incomplete.write(pointer, text), [incomplete, pointer, text]);
}

/** Reports the problem of a field's text, which blocks the run, and stores the text meanwhile. */
export function useInvalidInput(pointer: string, problem: string | null, text: string | null): void {
  const { onUnsendable } = useFormView();
  useStoreInput(pointer, problem === null ? null : text);
  useEffect(() => {
    onUnsendable(pointer, problem);
    return () => onUnsendable(pointer, null);
  }, [pointer, problem, onUnsendable]);
}
