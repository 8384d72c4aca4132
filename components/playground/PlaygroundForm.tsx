'use client';

import { useQuery } from '@tanstack/react-query';
import { Eraser, PencilLine, Undo2, X, TriangleAlert } from 'lucide-react';
import Link from 'next/link';
import { useEffect, useEffectEvent, useMemo, useRef, useState, useCallback, useSyncExternalStore } from 'react';
import { readTimeout } from '#components/calls/call-words.ts';
import { PayloadEditor, ToolExamples } from '#components/tool-form/PayloadEditor.tsx';
import { ToolForm } from '#components/tool-form/ToolForm.tsx';
import { drafts } from '#components/tool-form/drafts.ts';
import type { FormSchema } from '#components/tool-form/field-plan.ts';
import { focusFirstField, inFormOrder, keepFocusClear } from '#components/tool-form/form-focus.ts';
import { planAt } from '#components/tool-form/form-plan.ts';
import { IncompleteInputContext, createIncompleteInput } from '#components/tool-form/incomplete-input.ts';
import { pointerInWords, type Issue, unchangedIssues, valueAt, withoutPointer } from '#components/tool-form/issues.ts';
import { isJsonObject, writeJson } from '#components/tool-form/json-text.ts';
import { startPayload, type Payload } from '#components/tool-form/payload.ts';
import { maskSecrets, mayHoldSecrets } from '#components/tool-form/secrets.ts';
import { useCheck, createPayloadCheck } from '#components/tool-form/use-check.ts';
import { usePaste } from '#components/tool-form/use-paste.ts';
import type { PayloadState } from '#components/tool-form/use-payload.ts';
import { isDestructive } from '#lib/contract/tool-hints.ts';
import { Note } from '#components/ui/Note.tsx';
import { Button } from '#components/ui/Button.tsx';
import { CodeBlock } from '#components/ui/CodeBlock.tsx';
import { AlertDialog } from '#components/ui/AlertDialog.tsx';
import { IconButton } from '#components/ui/IconButton.tsx';
import { ProblemLine } from '#components/ui/ProblemLine.tsx';
import { RelativeTime } from '#components/ui/RelativeTime.tsx';
import { Skeleton } from '#components/ui/QueryState.tsx';
import { pressedKey } from '#components/ui/pressed-key.ts';
import { messageOf } from '#lib/client/api-problem.ts';
import { queries } from '#lib/client/queries.ts';
import { nameOfPress, useWrittenCall } from '#lib/client/written-call.ts';
import { useMayNot } from '#lib/client/SessionProvider.tsx';
import type { Call } from '#lib/contract/call.ts';
import { PAGES } from '#lib/contract/paths.ts';
import type { Tool } from '#lib/contract/tool.ts';
import { inShort } from '#components/tool-form/form-view.tsx';
import { RunBar } from './RunBar.tsx';

export interface PlaygroundFormProps {
  tool: Tool;
  /** Referentially stable while the schema is equal. */
  parameters: Tool['parameters'];
  form: FormSchema;
  state: PayloadState;
  timeoutMs: number;
  /** Seconds as typed; empty for the tool's own timeout. */
  timeout: string;
  onTimeout: (text: string) => void;
  /** JSON Pointers of arguments loaded without their values. */
  redacted: readonly string[];
  last: { readonly id: string; readonly sent: unknown } | null;
  /** The call being edited: runs are recorded as its replays. */
  replayOf: string | null;
  onForgetReplay: () => void;
  onStarted: (call: Call, sent: unknown) => void;
}

export function PlaygroundForm(props: PlaygroundFormProps) {
  return props.state.isReading ? <Skeleton lines={5} /> : <FilledForm {...props} />;
}

function FilledForm({
  tool,
  parameters,
  form,
  state,
  timeoutMs,
  timeout,
  onTimeout,
  redacted,
  last,
  replayOf,
  onForgetReplay,
  onStarted,
}: PlaygroundFormProps) {
  const { data: call } = useQuery({ ...queries.call(last?.id ?? ''), enabled: last !== null });
  const server = useMemo(() => {
    const issues = call?.error?.kind === 'invalid_parameters' ? call.error.issues : undefined;
    return issues === undefined || last === null || last.sent === undefined ? null : { issues, sent: last.sent };
  }, [call, last]);
  const mayNot = useMayNot('tools.call');
  const { checkAll, ...checked } = useCheck(parameters, state.payload, server, tool.runtime !== 'node');
  const { issues, onTouch } = checked;
  const invalidDraft = useInvalidDraft(tool.name, parameters, state.payload, state.isUntouched);
  const [refused, setRefused] = useState<{ readonly text: string; readonly problem: string } | null>(null);
  const target = useMemo(() => ({ tool: tool.name, parameters: Object.keys(parameters['properties'] ?? {}) }), [tool.name, parameters]);
  usePaste(target, (pasted) => {
    if (mayNot !== null) return;
    if ('problem' in pasted) return setRefused({ text: state.text, problem: pasted.problem });
    setRefused(null);
    onTouch('');
    state.replace(pasted.payload);
  });
  const start = useWrittenCall(tool.name);
  const run = useExclusiveAction();
  const incomplete = useMemo(() => createIncompleteInput(drafts, tool.name, (half) => !mayHoldSecrets(half, form)), [form, tool.name]);
  const [isConfirming, setIsConfirming] = useState(false);
  const [wasRunPressed, setWasRunPressed] = useState(false);
  /** Key that remounts the fields on reset, which drops incomplete input. */
  const [beginning, setBeginning] = useState(0);
  const root = useRef<HTMLDivElement>(null);
  const waiting = state.problem !== null;
  const limit = readTimeout(timeout);
  const json: PayloadState = {
    ...state,
    setText(text) {
      onTouch('');
      state.setText(text);
    },
  };
  const plan = planAt(form, state.payload);
  const wrong = inFormOrder([...issues.keys()], form, state.payload);

  function inWords(pointer: string): string {
    return pointer === '' ? 'the arguments' : pointerInWords(pointer, state.payload);
  }

  function focusFirst(pointers: readonly string[]) {
    requestAnimationFrame(() => focusFirstField(root.current, pointers));
  }

  function startAnew() {
    onForgetReplay();
    incomplete.forgetWithin('');
    setBeginning(beginning + 1);
    state.replace(startPayload(form));
  }

  async function send() {
    const sent = state.payload;
    const started = await start.mutateAsync({ text: state.text, timeoutMs: limit.ms, replayOf, press: nameOfPress() });
    setWasRunPressed(false);
    onStarted(started, sent);
  }

  async function checkAndSend() {
    if (!tool.available || mayNot !== null || start.isPending || isConfirming) return;
    setWasRunPressed(true);
    if (waiting) {
      root.current?.querySelector<HTMLElement>('[data-payload]')?.focus();
      return;
    }
    if (limit.problem !== null) {
      root.current?.querySelector<HTMLElement>('[data-timeout]')?.focus();
      return;
    }
    const found = await checkAll();
    if (found.length > 0) return focusFirst(found.map((issue) => issue.path));
    if (isDestructive(tool)) setIsConfirming(true);
    else await send().catch(() => undefined);
  }

  const runByKey = useEffectEvent((event: KeyboardEvent) => {
    if (pressedKey(event) !== 'Enter' || (!event.ctrlKey && !event.metaKey) || event.repeat) return;
    if (document.querySelector('[role=dialog]') !== null) return;
    event.preventDefault();
    void run.start(checkAndSend);
  });

  useEffect(() => {
    const listen = (event: KeyboardEvent) => runByKey(event);
    document.addEventListener('keydown', listen);
    return () => document.removeEventListener('keydown', listen);
  }, []);

  const empty = plan.fields.length === 0 && plan.additional === null && plan.options.length === 0;
  const hidden = redacted.filter((pointer) => pointer !== '');
  return (
    <div ref={root} className="flex min-w-0 flex-col gap-4 max-lg:contents">
      <section ref={keepFocusClear} aria-label="Arguments" className="flex min-w-0 flex-col gap-4 rounded border bg-panel p-4">
        <div className="flex min-h-7 items-center gap-2">
          <h2 className="font-semibold">Arguments</h2>
          <span className="ml-auto flex flex-wrap justify-end gap-1">
            {state.restore === null ? null : (
              <Button size="sm" variant="quiet" icon={<Undo2 />} onClick={state.restore}>
                Restore input
              </Button>
            )}
            {state.isUntouched || mayNot !== null ? null : (
              <Button size="sm" variant="quiet" icon={<Eraser />} onClick={startAnew}>
                Reset
              </Button>
            )}
          </span>
        </div>
        {replayOf === null ? null : <ReplayNote id={replayOf} onForget={onForgetReplay} />}
        {hidden.length === 0 ? null : (
          <Note tone="running">
            The history does not store secrets. Fill in <strong className="font-medium">{hidden.map(inWords).join(', ')}</strong> again.
          </Note>
        )}
        <ToolExamples
          examples={tool.examples}
          payload={state.payload}
          disabled={waiting || mayNot !== null}
          onFill={(example) => {
            onTouch('');
            state.replace(example);
          }}
        />
        <InvalidDraftNote
          invalidDraft={invalidDraft}
          payload={state.payload}
          form={form}
          onChange={(next) => isJsonObject(next) && state.setPayload(next)}
        />
        {waiting ? (
          <p className="rounded bg-subtle px-3 py-2 text-sm text-muted">The JSON below is invalid. The form shows the last valid values.</p>
        ) : null}
        {refused?.text === state.text ? <ProblemLine>{`${refused.problem} The arguments are as they were.`}</ProblemLine> : null}
        {empty ? (
          <p className="text-sm text-muted">
            {plan.control === 'json' && parameters['additionalProperties'] === true
              ? 'Any names are accepted; write them in the JSON.'
              : Object.keys(state.payload).length === 0
                ? 'This tool takes no arguments.'
                : null}
          </p>
        ) : null}
        <IncompleteInputContext value={incomplete}>
          <div id="tool-form" tabIndex={-1} className="outline-none">
            <ToolForm
              key={beginning}
              {...checked}
              form={form}
              payload={state.payload}
              onChange={state.setPayload}
              disabled={waiting || mayNot !== null}
            />
          </div>
        </IncompleteInputContext>
        <DraftNote tool={tool.name} />
        <PayloadEditor state={json} form={form} target={target} issues={issues} readOnly={mayNot !== null} className="border-t pt-3" />
      </section>
      <RunBar
        tool={tool}
        timeoutMs={timeoutMs}
        mayNot={mayNot}
        timeout={timeout}
        timeoutProblem={limit.problem}
        onTimeout={onTimeout}
        pending={start.isPending || run.isBusy}
        problem={start.isError && !isConfirming && start.variables.text === state.text ? messageOf(start.error) : null}
        wrong={wasRunPressed ? wrong.map((pointer) => ({ pointer, words: inWords(pointer), reason: issues.get(pointer)?.[0] ?? '' })) : []}
        waiting={waiting && wasRunPressed}
        onGo={(pointer) => focusFirst([pointer])}
        onRun={() => void run.start(checkAndSend)}
        copied={
          waiting ? null : { tool: tool.name, arguments: maskSecrets(state.payload, form, '<secret>'), secrets: [], timeoutMs: limit.ms }
        }
      />
      <AlertDialog
        open={isConfirming}
        onClose={() => setIsConfirming(false)}
        danger
        wide
        title={`Run ${tool.name}?`}
        description="This tool is destructive: it may change or delete data. Arguments:"
        confirm={`Run ${tool.name}`}
        onConfirm={send}
      >
        <CodeBlock code={writeJson(maskSecrets(state.payload, form))} language="json" label="Arguments" copyLabel={null} wrap />
      </AlertDialog>
    </div>
  );
}

export function ReplayNote({ id, onForget }: { id: string; onForget: () => void }) {
  const { data: call } = useQuery(queries.call(id));
  return (
    <div role="note" className="flex items-start gap-2 rounded bg-subtle px-3 py-2 text-sm">
      <PencilLine className="h-lh w-4 shrink-0 text-muted" />
      <span className="min-w-0 flex-1">
        An edit of{' '}
        <Link href={PAGES.call(id)} className="link">
          the call
        </Link>{' '}
        {call === undefined ? (
          <code className="text-xs">…{id.slice(-8)}</code>
        ) : (
          <span className="text-muted">
            (<RelativeTime time={call.started_at} />)
          </span>
        )}
        . Runs are recorded as its replays.
      </span>
      <IconButton size="sm" label="Run as a separate call" onClick={onForget} className="-my-1">
        <X />
      </IconButton>
    </div>
  );
}

export interface ExclusiveAction {
  readonly isBusy: boolean;
  /** Ignored while busy: a second click may arrive before the next render. */
  readonly start: (action: () => Promise<void>) => Promise<void>;
}

export function useExclusiveAction(): ExclusiveAction {
  const busy = useRef(false);
  const [isBusy, setIsBusy] = useState(false);
  return {
    isBusy,
    async start(action) {
      if (busy.current) return;
      busy.current = true;
      setIsBusy(true);
      try {
        await action();
      } finally {
        busy.current = false;
        setIsBusy(false);
      }
    },
  };
}

interface InvalidDraft {
  /** Validation errors in input that was typed for an older schema. */
  readonly list: readonly Issue[];
  readonly dismiss: () => void;
}

interface CheckedIssues {
  readonly issues: readonly Issue[];
  readonly of: unknown;
}

const NOTHING: CheckedIssues = { issues: [], of: undefined };

/** Validates restored input if the schema changed since it was typed. */
function useInvalidDraft(
  tool: string,
  parameters: Readonly<Record<string, unknown>>,
  payload: Payload,
  isUntouched: boolean,
): InvalidDraft {
  const [found, setFound] = useState<CheckedIssues>(NOTHING);
  const schema = JSON.stringify(parameters);

  const payloadNow = useEffectEvent(() => (isUntouched ? null : payload));

  const settle = useCallback(() => {
    drafts.write(tool, 'schema', schema);
    setFound(NOTHING);
  }, [tool, schema]);

  useEffect(() => {
    const typed = payloadNow();
    const before = drafts.read(tool, 'schema');
    if (before === null || before === schema || typed === null) {
      drafts.write(tool, 'schema', schema);
      return undefined;
    }
    const check = createPayloadCheck(parameters);
    let wanted = true;
    check.check(typed).then(
      (issues) => {
        if (!wanted) return;
        // Missing values are visible in the form.
        const about = (issues ?? []).filter((issue) => issue.path !== '' && valueAt(typed, issue.path) !== undefined);
        if (about.length === 0) drafts.write(tool, 'schema', schema);
        else setFound({ issues: about, of: typed });
      },
      () => undefined,
    );
    return () => {
      wanted = false;
      check.close();
    };
  }, [tool, schema, parameters]);

  return { list: unchangedIssues(found.issues, found.of, payload), dismiss: settle };
}

interface InvalidDraftNoteProps {
  invalidDraft: InvalidDraft;
  payload: Payload;
  form: FormSchema;
  onChange: (payload: unknown) => void;
}

function InvalidDraftNote({ invalidDraft, payload, form, onChange }: InvalidDraftNoteProps) {
  const { list, dismiss } = invalidDraft;
  if (list.length === 0) return null;
  const shown = maskSecrets(payload, form);
  const pointers = [...new Set(list.map((issue) => issue.path))];
  return (
    <section aria-label="Invalid values" className="flex flex-col gap-2 rounded bg-degraded-soft px-3 py-2 text-sm">
      <p className="flex gap-2 font-medium">
        <TriangleAlert className="h-lh w-4 shrink-0 text-degraded" />
        The arguments of this tool changed. Your input is kept; these values are invalid:
      </p>
      <ul className="flex flex-col gap-1">
        {pointers.map((pointer) => (
          <li key={pointer} className="flex flex-wrap items-center gap-x-2 pl-6">
            <span className="min-w-0 flex-1">
              <code className="break-all">{pointerInWords(pointer, payload)}</code>{' '}
              <span className="foreign text-muted">
                ({inShort(valueAt(shown, pointer))}) {list.find((issue) => issue.path === pointer)?.message}
              </span>
            </span>
            <Button
              size="sm"
              variant="quiet"
              aria-label={`Remove ${pointerInWords(pointer, payload)}`}
              onClick={() => onChange(withoutPointer(payload, pointer))}
            >
              Remove
            </Button>
          </li>
        ))}
      </ul>
      <span className="flex gap-1 pl-6">
        {pointers.length > 1 ? (
          <Button size="sm" onClick={() => onChange(pointers.reduceRight(withoutPointer, payload))}>
            Remove all
          </Button>
        ) : null}
        <Button size="sm" variant="quiet" onClick={dismiss}>
          Dismiss
        </Button>
      </span>
    </section>
  );
}

function DraftNote({ tool }: { tool: string }) {
  const isStored = useSyncExternalStore(
    drafts.subscribe,
    () => drafts.isStored(tool),
    () => true,
  );
  return (
    <div role="status" className="contents">
      {isStored ? null : (
        <Note tone="degraded">Browser storage is full: these arguments are lost when the page is reloaded or closed. Copy them first.</Note>
      )}
    </div>
  );
}
