'use client';

import { createContext, useContext, useEffect, useState } from 'react';
import type { Drafts } from './drafts.ts';
import { isJsonObject, readJson } from './json-text.ts';
import { isWithin } from './pointer.ts';

/** What stands in fields and is no value yet, by place: it is no part of the arguments, and is to outlive the page as they do. */
export interface Halves {
  read(pointer: string): string | null;
  write(pointer: string, text: string | null): void;
  /** What stands inside of a place was moved about or taken out. */
  forgetWithin(pointer: string): void;
}

const NO_HALVES: Halves = { read: () => null, write: () => undefined, forgetWithin: () => undefined };

export const HalvesContext = createContext<Halves>(NO_HALVES);

/** @param mayKeep of the place and the text that stands there: what may be a secret is kept nowhere */
export function createHalves(
  drafts: Pick<Drafts, 'read' | 'write'>,
  tool: string,
  mayKeep: (half: string) => boolean = () => true,
): Halves {
  const known = new Map(entriesOf(drafts.read(tool, 'half')));
  const keep = () => drafts.write(tool, 'half', known.size === 0 ? null : JSON.stringify(Object.fromEntries(known)));
  return {
    read: (pointer) => known.get(pointer) ?? null,
    write(pointer, text) {
      if ((known.get(pointer) ?? null) === text) return;
      if (text === null || !mayKeep(`${pointer} ${text}`)) known.delete(pointer);
      else known.set(pointer, text);
      keep();
    },
    forgetWithin(pointer) {
      const gone = [...known.keys()].filter((each) => each !== pointer && isWithin(each, pointer));
      for (const each of gone) known.delete(each);
      if (gone.length > 0) keep();
    },
  };
}

function entriesOf(kept: string | null): readonly (readonly [string, string])[] {
  const reading = readJson(kept ?? '{}');
  if (!reading.ok || !isJsonObject(reading.value)) return [];
  return Object.entries(reading.value).flatMap(([pointer, text]) => (typeof text === 'string' ? [[pointer, text] as const] : []));
}

/** What stood half written in a field when it was last seen; null for nothing. */
export function useFirstHalf(pointer: string): string | null {
  const halves = useContext(HalvesContext);
  const [first] = useState(() => halves.read(pointer));
  return first;
}

/** Keeps what stands half written in a field; null once it is whole. */
export function useKeptHalf(pointer: string, text: string | null): void {
  const halves = useContext(HalvesContext);
  useEffect(() => halves.write(pointer, text), [halves, pointer, text]);
}
