'use client';

import { useCallback, useEffect, useEffectEvent, useState } from 'react';
import { drafts } from './drafts.ts';
import type { FormSchema } from './field-plan.ts';
import { isJsonObject, readJson, writeJson } from './json-text.ts';
import type { JsonProblem } from './json-text.ts';
import { startPayload } from './payload.ts';
import type { Payload } from './payload.ts';
import { hasSecrets, withoutSecrets } from './secrets.ts';

/**
 * The arguments in their two faces. The JSON text is what the person sees and edits; `payload` is the last object it was.
 * While the text is no object `problem` says why, and nothing of the text is thrown away: the form waits.
 */
export interface PayloadState {
  readonly text: string;
  readonly payload: Payload;
  readonly problem: JsonProblem | null;
  /** The text was edited. */
  readonly setText: (text: string) => void;
  /** The form was edited. */
  readonly setPayload: (payload: Payload) => void;
  /** Other arguments take the place of what was typed, which `restore` brings back. */
  readonly replace: (payload: Payload) => void;
  readonly restore: (() => void) | null;
  /** Throws away a text that is no object. */
  readonly dropText: () => void;
  readonly isUntouched: boolean;
  /** What was typed before is still being fetched: nothing can be edited yet. */
  readonly isReading: boolean;
}

interface Kept {
  readonly text: string;
  readonly payload: Payload;
  readonly problem: JsonProblem | null;
}

export function usePayload(tool: string, form: FormSchema, loaded: Payload | null): PayloadState {
  const [kept, setKept] = useState<Kept>(() => firstOf(tool, form, loaded));
  const [isReading, setIsReading] = useState(() => loaded === null && drafts.isElsewhere(tool));

  const fetched = useEffectEvent(() => {
    setKept(firstOf(tool, form, null));
    setIsReading(false);
  });

  useEffect(() => {
    if (!isReading) return undefined;
    let wanted = true;
    void drafts.fetch(tool).then(() => {
      if (wanted) fetched();
    });
    return () => {
      wanted = false;
    };
  }, [tool, isReading]);

  const keep = useCallback(
    (next: Kept) => {
      setKept(next);
      const secret = hasSecrets(form);
      if (secret && next.problem !== null) return;
      drafts.write(tool, 'good', next.problem === null || secret ? null : writeJson(next.payload));
      drafts.write(tool, 'payload', secret ? writeJson(withoutSecrets(next.payload, form)) : next.text);
    },
    [tool, form],
  );

  const [before, setBefore] = useState<Kept | null>(null);
  const start = writeJson(startPayload(form));
  const untouched = kept.problem === null && writeJson(kept.payload) === start;

  function replace(payload: Payload) {
    setBefore(untouched ? null : kept);
    keep({ text: writeJson(payload), payload, problem: null });
  }

  function restore() {
    if (before === null) return;
    setBefore(kept);
    keep(before);
  }

  const setText = useCallback((text: string) => keep(readText(text, kept.payload)), [keep, kept.payload]);
  const setPayload = useCallback((payload: Payload) => keep({ text: writeJson(payload), payload, problem: null }), [keep]);
  const dropText = useCallback(() => keep({ text: writeJson(kept.payload), payload: kept.payload, problem: null }), [keep, kept.payload]);
  return {
    ...kept,
    setText,
    setPayload,
    dropText,
    replace,
    restore: before === null || before.text === kept.text ? null : restore,
    isUntouched: untouched,
    isReading,
  };
}

/** A text as a payload; one that is no JSON object keeps the payload that was. */
export function readText(text: string, before: Payload): Kept {
  const reading = readJson(text);
  if (!reading.ok) return { text, payload: before, problem: reading.problem };
  if (!isJsonObject(reading.value)) {
    return {
      text,
      payload: before,
      problem: { message: 'The arguments are one JSON object: {"name": value, …}.', offset: 0, line: 1, column: 1 },
    };
  }
  return { text, payload: reading.value, problem: null };
}

function firstOf(tool: string, form: FormSchema, loaded: Payload | null): Kept {
  const start = startPayload(form);
  const fresh: Kept = { text: writeJson(start), payload: start, problem: null };
  if (loaded !== null) return { text: writeJson(loaded), payload: loaded, problem: null };
  const draft = drafts.read(tool, 'payload');
  if (draft === null) return fresh;
  const good = drafts.read(tool, 'good');
  return readText(draft, good === null ? start : readText(good, start).payload);
}
