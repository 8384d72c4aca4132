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
  readonly dropText: () => void;
  readonly isUntouched: boolean;
  /** A large draft is loading: editing is disabled. */
  readonly isReading: boolean;
}

interface PayloadInput {
  readonly text: string;
  readonly payload: Payload;
  readonly problem: JsonProblem | null;
}

/** `loaded` replaces the draft, which can be restored. */
export function usePayload(tool: string, form: FormSchema, loaded: Payload | null): PayloadState {
  const [input, setInput] = useState<PayloadInput>(() => firstOf(tool, form, loaded));
  const [before, setBefore] = useState<PayloadInput | null>(() => beforeOf(tool, form, loaded));
  const [isReading, setIsReading] = useState(() => drafts.needsFetch(tool));

  const fetched = useEffectEvent(() => {
    setInput(firstOf(tool, form, loaded));
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

  const storeLoaded = useEffectEvent(() => {
    if (loaded === null) return;
    storeBefore(tool, form, before);
    storeInput(tool, form, input);
  });

  useEffect(() => {
    if (!isReading) storeLoaded();
  }, [isReading]);

  const update = useCallback(
    (next: PayloadInput) => {
      setInput(next);
      storeInput(tool, form, next);
    },
    [tool, form],
  );

  function setPrevious(typed: PayloadInput | null) {
    setBefore(typed);
    storeBefore(tool, form, typed);
  }

  const untouched = isStart(input, form);

  function replace(payload: Payload) {
    setPrevious(untouched ? null : input);
    update({ text: writeJson(payload), payload, problem: null });
  }

  function restore() {
    if (before === null) return;
    setPrevious(input);
    update(before);
  }

  const setText = useCallback((text: string) => update(readText(text, input.payload)), [update, input.payload]);
  const setPayload = useCallback((payload: Payload) => update({ text: writeJson(payload), payload, problem: null }), [update]);
  const dropText = useCallback(
    () => update({ text: writeJson(input.payload), payload: input.payload, problem: null }),
    [update, input.payload],
  );
  return {
    ...input,
    setText,
    setPayload,
    dropText,
    replace,
    restore: before === null || before.text === input.text ? null : restore,
    isUntouched: untouched,
    isReading,
  };
}

/** Invalid text keeps the previous payload. */
export function readText(text: string, before: Payload): PayloadInput {
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

function firstOf(tool: string, form: FormSchema, loaded: Payload | null): PayloadInput {
  const start = startPayload(form);
  const fresh: PayloadInput = { text: writeJson(start), payload: start, problem: null };
  if (loaded !== null) return { text: writeJson(loaded), payload: loaded, problem: null };
  const draft = drafts.read(tool, 'payload');
  if (draft === null) return fresh;
  const good = drafts.read(tool, 'good');
  return readText(draft, good === null ? start : readText(good, start).payload);
}

/** What `restore` brings back: replaced input, or an earlier backup. */
function beforeOf(tool: string, form: FormSchema, loaded: Payload | null): PayloadInput | null {
  const typed = firstOf(tool, form, null);
  if (loaded !== null && !isStart(typed, form) && typed.text !== writeJson(loaded)) return typed;
  const text = drafts.read(tool, 'before');
  return text === null ? null : readText(text, startPayload(form));
}

function storeInput(tool: string, form: FormSchema, input: PayloadInput): void {
  const secret = mayHoldSecrets(input.text, form);
  if (secret && input.problem !== null) return;
  drafts.write(tool, 'good', input.problem === null || secret ? null : writeJson(input.payload));
  drafts.write(tool, 'payload', textToStore(input, form));
}

function storeBefore(tool: string, form: FormSchema, typed: PayloadInput | null): void {
  if (typed !== null && typed.problem !== null && mayHoldSecrets(typed.text, form)) return;
  drafts.write(tool, 'before', typed === null ? null : textToStore(typed, form));
}

function isStart({ payload, problem }: PayloadInput, form: FormSchema): boolean {
  return problem === null && writeJson(payload) === writeJson(startPayload(form));
}

function textToStore({ text, payload }: PayloadInput, form: FormSchema): string {
  return mayHoldSecrets(text, form) ? writeJson(withoutSecrets(payload, form)) : text;
}
