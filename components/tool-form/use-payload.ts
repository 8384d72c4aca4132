'use client';

import { useCallback, useEffect, useEffectEvent, useState } from 'react';
import { drafts } from './drafts.ts';
import type { FormSchema } from './field-plan.ts';
import { type JsonProblem, isJsonObject, readJson, writeJson } from './json-text.ts';
import { type Payload, startPayload } from './payload.ts';
import { mayHoldSecrets, withoutSecrets } from './secrets.ts';

/**
 * Arguments as text and as object. The text is what the person edits; `payload` is its last valid object. Invalid text is kept
 * and described by `problem`.
 */
export interface PayloadState {
  readonly text: string;
  readonly payload: Payload;
  readonly problem: JsonProblem | null;
  readonly setText: (text: string) => void;
  readonly setPayload: (payload: Payload) => void;
  /** `restore` brings back the previous arguments. */
  readonly replace: (payload: Payload) => void;
  readonly restore: (() => void) | null;
  /** Discards invalid text. */
  readonly dropText: () => void;
  readonly isUntouched: boolean;
  /** A large draft is loading: editing is disabled. */
  readonly isReading: boolean;
}

interface Kept {
  readonly text: string;
  readonly payload: Payload;
  readonly problem: JsonProblem | null;
}

/** `loaded` replaces the draft, which can be restored. */
export function usePayload(tool: string, form: FormSchema, loaded: Payload | null): PayloadState {
  const [kept, setKept] = useState<Kept>(() => firstOf(tool, form, loaded));
  const [before, setBefore] = useState<Kept | null>(() => beforeOf(tool, form, loaded));
  const [isReading, setIsReading] = useState(() => drafts.isElsewhere(tool));

  const fetched = useEffectEvent(() => {
    setKept(firstOf(tool, form, loaded));
    setBefore(beforeOf(tool, form, loaded));
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

  const takePlace = useEffectEvent(() => {
    if (loaded === null) return;
    writeBefore(tool, form, before);
    writeKept(tool, form, kept);
  });

  useEffect(() => {
    if (!isReading) takePlace();
  }, [isReading]);

  const keep = useCallback(
    (next: Kept) => {
      setKept(next);
      writeKept(tool, form, next);
    },
    [tool, form],
  );

  function setAside(typed: Kept | null) {
    setBefore(typed);
    writeBefore(tool, form, typed);
  }

  const untouched = isStart(kept, form);

  function replace(payload: Payload) {
    setAside(untouched ? null : kept);
    keep({ text: writeJson(payload), payload, problem: null });
  }

  function restore() {
    if (before === null) return;
    setAside(kept);
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

/** Invalid text keeps the previous payload. */
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

/** What `restore` brings back: replaced input, or an earlier backup. */
function beforeOf(tool: string, form: FormSchema, loaded: Payload | null): Kept | null {
  const typed = firstOf(tool, form, null);
  if (loaded !== null && !isStart(typed, form) && typed.text !== writeJson(loaded)) return typed;
  const text = drafts.read(tool, 'before');
  return text === null ? null : readText(text, startPayload(form));
}

function writeKept(tool: string, form: FormSchema, kept: Kept): void {
  const secret = mayHoldSecrets(kept.text, form);
  if (secret && kept.problem !== null) return;
  drafts.write(tool, 'good', kept.problem === null || secret ? null : writeJson(kept.payload));
  drafts.write(tool, 'payload', textToKeep(kept, form));
}

function writeBefore(tool: string, form: FormSchema, typed: Kept | null): void {
  if (typed !== null && typed.problem !== null && mayHoldSecrets(typed.text, form)) return;
  drafts.write(tool, 'before', typed === null ? null : textToKeep(typed, form));
}

function isStart({ payload, problem }: Kept, form: FormSchema): boolean {
  return problem === null && writeJson(payload) === writeJson(startPayload(form));
}

function textToKeep({ text, payload }: Kept, form: FormSchema): string {
  return mayHoldSecrets(text, form) ? writeJson(withoutSecrets(payload, form)) : text;
}
