'use client';

import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { NOT_EXACT, bigintsIn } from '#lib/contract/big-integers.ts';
import { type CheckAnswer, type CheckQuestion, READY } from './check-messages.ts';
import type { FormSchema } from './field-plan.ts';
import { partForName, planAt, planForm } from './form-plan.ts';
import {
  type Issue,
  type IssueMap,
  REQUIRED,
  asSentence,
  atChoices,
  byPath,
  isWithin,
  nameOf,
  partsOf,
  pointerOf,
  unchangedIssues,
  valueAt,
} from './issues.ts';
import { isJsonObject } from './json-text.ts';
import type { FormView } from './form-view.tsx';
import { type Payload, isFixed, itemPart, matchOption } from './payload.ts';

/** Recursion limit for required objects. */
const MAX_DEPTH = 6;

/** A missing required object reports its own required properties, which the person can fill in. */
export function expandMissingObjects(issues: readonly Issue[], form: FormSchema, payload: unknown): readonly Issue[] {
  return issues.flatMap((issue) => {
    if (issue.message !== REQUIRED || valueAt(payload, issue.path) !== undefined) return [issue];
    const part = partAt(form, payload, partsOf(issue.path));
    const paths = part === null ? [] : requiredWithin(part, issue.path, 0);
    return paths.length === 0 ? [issue] : paths.map((path) => ({ path, message: REQUIRED }));
  });
}

function partAt(form: FormSchema, value: unknown, [first, ...rest]: readonly string[]): FormSchema | null {
  if (first === undefined) return form;
  const plan = planAt(form, value);
  if (plan.control === 'union') {
    const option = plan.options[matchOption(plan.options, value, null)];
    return option === undefined ? null : partAt(option.part, value, [first, ...rest]);
  }
  const isList = Array.isArray(value);
  const part = isList
    ? itemPart(plan, Number(first))
    : (plan.fields.find(({ name }) => name === first)?.part ?? partForName(plan.additional, first));
  const inner: unknown = (isList || isJsonObject(value)) && Object.hasOwn(value, first) ? Reflect.get(value, first) : undefined;
  return part === null ? null : partAt(part, inner, rest);
}

function requiredWithin(part: FormSchema, path: string, depth: number): readonly string[] {
  const plan = planAt(part, undefined);
  if (plan.control !== 'object' || plan.nullable || depth > MAX_DEPTH) return [];
  return plan.fields
    .filter((field) => plan.required.includes(field.name) && !isFixed(planAt(field.part, undefined)))
    .flatMap((field) => {
      const inner = path + pointerOf([field.name]);
      const deeper = requiredWithin(field.part, inner, depth + 1);
      return deeper.length === 0 ? [inner] : deeper;
    });
}

/** Null on timeout; the server validates in any case. */
interface PayloadCheck {
  check(payload: unknown): Promise<readonly Issue[] | null>;
  close(): void;
}

const TIMEOUT_MS = 3_000;
/** Loading the worker may be slow. */
const START_TIMEOUT_MS = 60_000;

/** One worker, started at the first check, ended for good when a check hangs. The timeout starts once the worker is ready. */
export function createPayloadCheck(schema: Readonly<Record<string, unknown>>, makeWorker: () => Worker = newWorker): PayloadCheck {
  const text = JSON.stringify(schema);
  const waiting = new Map<number, (issues: readonly Issue[] | null) => void>();
  let worker: Worker | null = null;
  let lastId = 0;
  let isTerminated = false;
  const ready = Promise.withResolvers<void>();

  function start(): Worker {
    const made = makeWorker();
    made.addEventListener('message', (event: MessageEvent<CheckAnswer>) => {
      ready.resolve();
      if (event.data.id !== READY) settle(event.data.id, event.data.issues);
    });
    made.addEventListener('error', terminate);
    return made;
  }

  function settle(id: number, issues: readonly Issue[] | null) {
    waiting.get(id)?.(issues);
    waiting.delete(id);
  }

  function terminate() {
    isTerminated = true;
    worker?.terminate();
    worker = null;
    for (const id of waiting.keys()) settle(id, null);
  }

  return {
    async check(payload) {
      if (isTerminated) return null;
      worker ??= start();
      lastId += 1;
      const id = lastId;
      const { promise, resolve } = Promise.withResolvers<readonly Issue[] | null>();
      waiting.set(id, resolve);
      const question: CheckQuestion = { id, schema: text, payload };
      worker.postMessage(question);
      let timer = setTimeout(terminate, START_TIMEOUT_MS);
      void ready.promise.then(() => {
        clearTimeout(timer);
        if (waiting.has(id)) timer = setTimeout(terminate, TIMEOUT_MS);
      });
      try {
        return await promise;
      } finally {
        clearTimeout(timer);
      }
    },
    close() {
      worker?.terminate();
      worker = null;
      for (const id of waiting.keys()) settle(id, null);
    },
  };
}

function newWorker(): Worker {
  return new Worker(new URL('./check-worker.ts', import.meta.url), { type: 'module' });
}

/**
 * Reports blur immediately, or after the mouse button is released: an error message that appears in between would move the
 * button under the pointer, and the click would be lost.
 */
function useAfterPointerUp(report: (pointers: readonly string[]) => void): (pointer: string) => void {
  const pressed = useRef(false);
  const waiting = useRef<string[]>([]);

  useEffect(() => {
    const press = () => {
      pressed.current = true;
    };
    const release = () => {
      pressed.current = false;
      // After the click event.
      setTimeout(() => {
        if (waiting.current.length > 0) report(waiting.current.splice(0));
      });
    };
    document.addEventListener('pointerdown', press, true);
    document.addEventListener('pointerup', release, true);
    document.addEventListener('pointercancel', release, true);
    return () => {
      document.removeEventListener('pointerdown', press, true);
      document.removeEventListener('pointerup', release, true);
      document.removeEventListener('pointercancel', release, true);
    };
  }, [report]);

  return useCallback(
    (pointer: string) => {
      if (pressed.current) waiting.current.push(pointer);
      else report([pointer]);
    },
    [report],
  );
}

interface ServerIssues {
  readonly issues: readonly Issue[];
  readonly sent: unknown;
}

interface CheckedIssues {
  readonly issues: readonly Issue[];
  readonly of: unknown;
}

interface CheckState extends Omit<FormView, 'disabled' | 'onEdit'> {
  /** A field shows errors after blur or after Run. */
  readonly issues: IssueMap;
  readonly checkAll: () => Promise<readonly Issue[]>;
}

/** @param takesBigints false if the runtime of the tool has only doubles */
export function useCheck(
  parameters: Readonly<Record<string, unknown>>,
  payload: Payload,
  server: ServerIssues | null,
  takesBigints: boolean,
): CheckState {
  const check = useMemo(() => {
    const form = planForm(parameters);
    const { check: ask, close } = createPayloadCheck(parameters);
    const rounded = (args: Payload): readonly Issue[] =>
      takesBigints ? [] : bigintsIn(args).map(({ path }) => ({ path: pointerOf(path), message: NOT_EXACT }));
    return { ask: async (args: Payload) => expandMissingObjects([...rounded(args), ...((await ask(args)) ?? [])], form, args), close };
  }, [parameters, takesBigints]);
  const [found, setFound] = useState<CheckedIssues>({ issues: [], of: undefined });
  const [visible, setVisible] = useState<ReadonlySet<string>>(new Set());
  const [unsendable, onUnsendable] = useMessagesByPath();
  const [unchosen, onUnchosen] = useMessagesByPath();
  const newest = useRef(0);

  useEffect(() => () => check.close(), [check]);

  useEffect(() => {
    if (visible.size === 0) return;
    newest.current += 1;
    const checkId = newest.current;
    check.ask(payload).then(
      (issues) => {
        if (checkId === newest.current) setFound({ issues, of: payload });
      },
      () => undefined,
    );
  }, [check, payload, visible]);

  const showIssues = useCallback((pointers: readonly string[]) => setVisible((present) => new Set([...present, ...pointers])), []);
  const onVisit = useAfterPointerUp(showIssues);

  const onTouch = useCallback(
    (pointer: string) =>
      setVisible((present) => {
        const left = [...present].filter((each) => !isWithin(each, pointer));
        return left.length === present.size ? present : new Set(left);
      }),
    [],
  );

  const issues = useMemo(() => {
    const typed = [...unsendable].map(([path, message]): Issue => ({ path, message }));
    // Errors of changed values are stale; the next result follows.
    const known = atChoices(unchangedIssues(found.issues, found.of, payload), unchosen);
    const shown = [...typed, ...known.filter((issue) => !isReported(issue, unsendable))].filter((issue) => visible.has(issue.path));
    const fromServer = server === null ? [] : atChoices(unchangedIssues(server.issues, server.sent, payload), unchosen);
    const added = fromServer
      .filter((issue) => !shown.some((other) => isWithin(other.path, issue.path)))
      .map((issue) => ({ path: issue.path, message: asSentence(issue.message) }));
    return byPath([...shown, ...added]);
  }, [found, visible, unsendable, unchosen, server, payload]);

  async function checkAll(): Promise<readonly Issue[]> {
    newest.current += 1;
    const checkId = newest.current;
    const checked = await check.ask(payload);
    const typed = [...unsendable].map(([path, message]): Issue => ({ path, message }));
    const all = [...typed, ...atChoices(checked, unchosen).filter((issue) => !isReported(issue, unsendable))];
    if (checkId === newest.current) setFound({ issues: checked, of: payload });
    setVisible((present) => new Set([...present, ...all.map((issue) => issue.path)]));
    return all;
  }

  return { issues, onVisit, onTouch, onUnsendable, onUnchosen, checkAll };
}

function useMessagesByPath(): [ReadonlyMap<string, string>, (pointer: string, words: string | null) => void] {
  const [messages, setMessages] = useState<ReadonlyMap<string, string>>(new Map());
  const setMessage = useCallback(
    (pointer: string, words: string | null) =>
      setMessages((present) => {
        if ((present.get(pointer) ?? null) === words) return present;
        const next = new Map(present);
        if (words === null) next.delete(pointer);
        else next.set(pointer, words);
        return next;
      }),
    [],
  );
  return [messages, setMessage];
}

/** A field or entry name already reports it. */
function isReported(issue: Issue, unsendable: ReadonlyMap<string, string>): boolean {
  return unsendable.has(issue.path) || unsendable.has(nameOf(issue.path));
}
