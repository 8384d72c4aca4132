'use client';

import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { bigintsIn, NOT_EXACT } from '#lib/contract/big-integers.ts';
import { planForm } from './form-plan.ts';
import { asSentence, atChoices, byPath, stillTrue } from './issues.ts';
import type { Issue, IssueMap } from './issues.ts';
import { atMissingParts } from './missing-parts.ts';
import { createPayloadCheck } from './payload-check.ts';
import type { Payload } from './payload.ts';
import { isWithin, nameOf, pointerOf } from './pointer.ts';
import { useWhenReleased } from './use-when-released.ts';

/** What the server said of arguments that were sent. */
export interface ServerWord {
  readonly issues: readonly Issue[];
  readonly sent: unknown;
}

interface Found {
  readonly issues: readonly Issue[];
  /** The payload that was checked. */
  readonly of: unknown;
}

export interface CheckState {
  /** What is shown as wrong; a field speaks only after it was left, or after Run. */
  readonly issues: IssueMap;
  readonly onVisit: (pointer: string) => void;
  readonly onUnsendable: (pointer: string, problem: string | null) => void;
  readonly onUnchosen: (pointer: string, asked: string | null) => void;
  /** A value is being changed: what is wrong there is said again when the person leaves it. */
  readonly onTouch: (pointer: string) => void;
  /** Checks everything and shows what it finds. */
  readonly checkAll: () => Promise<readonly Issue[]>;
}

/** @param takesBigints false where what runs the tool has doubles alone, which would round them */
export function useCheck(
  parameters: Readonly<Record<string, unknown>>,
  payload: Payload,
  server: ServerWord | null,
  takesBigints: boolean,
): CheckState {
  const check = useMemo(() => {
    const form = planForm(parameters);
    const { check: ask, close } = createPayloadCheck(parameters);
    const rounded = (args: Payload): readonly Issue[] =>
      takesBigints ? [] : bigintsIn(args).map(({ path }) => ({ path: pointerOf(path), message: NOT_EXACT }));
    return { ask: async (args: Payload) => atMissingParts([...rounded(args), ...((await ask(args)) ?? [])], form, args), close };
  }, [parameters, takesBigints]);
  const [found, setFound] = useState<Found>({ issues: [], of: undefined });
  const [speaking, setSpeaking] = useState<ReadonlySet<string>>(new Set());
  const [unsendable, onUnsendable] = useWordsByPlace();
  const [unchosen, onUnchosen] = useWordsByPlace();
  const newest = useRef(0);

  useEffect(() => () => check.close(), [check]);

  useEffect(() => {
    if (speaking.size === 0) return;
    newest.current += 1;
    const mine = newest.current;
    check.ask(payload).then(
      (issues) => {
        if (mine === newest.current) setFound({ issues, of: payload });
      },
      () => undefined,
    );
  }, [check, payload, speaking]);

  const speak = useCallback((pointers: readonly string[]) => setSpeaking((present) => new Set([...present, ...pointers])), []);
  const onVisit = useWhenReleased(speak);

  const onTouch = useCallback(
    (pointer: string) =>
      setSpeaking((present) => {
        const left = [...present].filter((each) => !isWithin(each, pointer));
        return left.length === present.size ? present : new Set(left);
      }),
    [],
  );

  const issues = useMemo(() => {
    const typed = [...unsendable].map(([path, message]): Issue => ({ path, message }));
    // What was found in a value that is another by now is no longer true, and the next answer is on its way.
    const known = atChoices(stillTrue(found.issues, found.of, payload), unchosen);
    const spoken = [...typed, ...known.filter((issue) => !isTold(issue, unsendable))].filter((issue) => speaking.has(issue.path));
    const fromServer = server === null ? [] : atChoices(stillTrue(server.issues, server.sent, payload), unchosen);
    const added = fromServer
      .filter((issue) => !spoken.some((other) => isWithin(other.path, issue.path)))
      .map((issue) => ({ path: issue.path, message: asSentence(issue.message) }));
    return byPath([...spoken, ...added]);
  }, [found, speaking, unsendable, unchosen, server, payload]);

  async function checkAll(): Promise<readonly Issue[]> {
    newest.current += 1;
    const mine = newest.current;
    const checked = await check.ask(payload);
    const typed = [...unsendable].map(([path, message]): Issue => ({ path, message }));
    const all = [...typed, ...atChoices(checked, unchosen).filter((issue) => !isTold(issue, unsendable))];
    if (mine === newest.current) setFound({ issues: checked, of: payload });
    setSpeaking((present) => new Set([...present, ...all.map((issue) => issue.path)]));
    return all;
  }

  return { issues, onVisit, onTouch, onUnsendable, onUnchosen, checkAll };
}

/** What the places of a form say of themselves, until they take it back. */
function useWordsByPlace(): [ReadonlyMap<string, string>, (pointer: string, words: string | null) => void] {
  const [places, setPlaces] = useState<ReadonlyMap<string, string>>(new Map());
  const say = useCallback(
    (pointer: string, words: string | null) =>
      setPlaces((present) => {
        if ((present.get(pointer) ?? null) === words) return present;
        const next = new Map(present);
        if (words === null) next.delete(pointer);
        else next.set(pointer, words);
        return next;
      }),
    [],
  );
  return [places, say];
}

/** A field or the name of an entry says it better. */
function isTold(issue: Issue, unsendable: ReadonlyMap<string, string>): boolean {
  return unsendable.has(issue.path) || unsendable.has(nameOf(issue.path));
}
