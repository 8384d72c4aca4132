'use client';

import { useEffect, useRef, useState } from 'react';
import { Button } from '#components/ui/Button.tsx';
import { CodeBlock } from '#components/ui/CodeBlock.tsx';
import { Dialog } from '#components/ui/Dialog.tsx';
import { Field, Input } from '#components/ui/Field.tsx';
import { ProblemLine } from '#components/ui/ProblemLine.tsx';
import { isAboutField, messageOf } from '#lib/client/api-problem.ts';
import { useChangeSavedCall, useSaveCall } from '#lib/client/saved-call-mutations.ts';
import { useMayNot } from '#lib/client/use-may-not.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import type { SavedCall } from '#lib/contract/saved-call.ts';
import { jsonText } from './call-words.ts';
import { NOTHING_EXPECTED, readExpectation, textsOf } from './expectation-texts.ts';
import type { ReadExpectation } from './expectation-texts.ts';
import { ExpectationFields } from './ExpectationFields.tsx';
import { readTimeout } from './read-timeout.ts';
import { RequiredSwitch } from './RequiredSwitch.tsx';
import { schemaRefusal, whyNotRequired } from './saved-call-words.ts';

export interface SaveCallDialogProps {
  onClose: () => void;
  /** What is saved anew, or what is changed. */
  what:
    | {
        readonly tool: string;
        readonly arguments: Readonly<Record<string, unknown>>;
        readonly shown: Readonly<Record<string, unknown>>;
        /** In seconds, as it was typed; '' for the tool's own. */
        readonly timeout: string;
      }
    | SavedCall;
  /** A result that is at hand, to expect it again; undefined when there is none. */
  result?: unknown;
  /** The tool is marked as one that may change or delete. */
  destructive?: boolean;
  onSaved?: (saved: SavedCall) => void;
}

/** Asks for a name and for what is expected. The server leaves secrets out, and says so. Shown as long as it is there. */
export function SaveCallDialog({ onClose, what, result, destructive = false, onSaved }: SaveCallDialogProps) {
  const existing = 'id' in what ? what : null;
  const [name, setName] = useState(existing?.name ?? '');
  const [texts, setTexts] = useState(existing === null ? NOTHING_EXPECTED : textsOf(existing.expectation));
  const [required, setRequired] = useState(existing?.required ?? false);
  const [timeout, setTimeoutText] = useState('id' in what ? secondsOf(what.timeout_ms) : what.timeout);
  const limit = readTimeout(timeout);
  const [problem, setProblem] = useState<Extract<ReadExpectation, { ok: false }> | null>(null);
  const [nameless, setNameless] = useState(false);
  const save = useSaveCall();
  const change = useChangeSavedCall();
  const { isPending, error, reset } = existing === null ? save : change;
  const refusal = error === null ? null : messageOf(error);
  const ofSchema = refusal === null ? null : schemaRefusal(refusal);
  /** Another one has this name. */
  const ofName = isAboutField(error, 'name') ? refusal : null;
  const nameProblem = nameless ? 'Give it a name by which others find it.' : ofName;
  const form = useRef<HTMLFormElement>(null);
  const mayNotRequire = useMayNot('checks.require');
  const whyNot = mayNotRequire ?? whyNotRequired({ isCheck: texts.status !== 'any', leftOut: existing?.left_out ?? [], destructive });

  async function submit() {
    setNameless(name.trim() === '');
    const read = readExpectation(texts);
    setProblem(read.ok ? null : read);
    if (name.trim() === '' || !read.ok || limit.problem !== null || isPending) return;
    const saved =
      existing === null
        ? await save.mutateAsync({
            tool: what.tool,
            name,
            arguments: { ...what.arguments },
            timeout_ms: limit.ms,
            expectation: read.expectation,
            required: required && whyNot === null,
          })
        : await change.mutateAsync({
            id: existing.id,
            wasRequired: existing.required,
            change: {
              name,
              ...(limit.ms === existing.timeout_ms ? {} : { timeout_ms: limit.ms }),
              ...(sameJson(read.expectation, existing.expectation) ? {} : { expectation: read.expectation }),
              ...((required && whyNot === null) === existing.required ? {} : { required: !existing.required }),
            },
          });
    onClose();
    onSaved?.(saved);
  }

  /** Where something is wrong, the first of it has the focus. */
  const focusWrong = () => form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus();
  useEffect(() => {
    if (error !== null) focusWrong();
  }, [error]);

  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
      wide
      title={existing === null ? 'Save this call' : `Change ${existing.name}`}
      description={
        existing === null
          ? `${what.tool} with these arguments, kept on the server for everybody. Secrets are left out.`
          : `A saved call of ${what.tool}.`
      }
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" pending={isPending} type="submit" form="save-call">
            Save
          </Button>
        </>
      }
    >
      <form
        ref={form}
        id="save-call"
        noValidate
        className="flex min-w-0 flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          submit().catch(() => undefined);
          requestAnimationFrame(focusWrong);
        }}
      >
        <Field id="saved-name" label="Name" required error={nameProblem}>
          <Input
            id="saved-name"
            value={name}
            maxLength={LIMITS.savedCallNameLength}
            autoComplete="off"
            aria-invalid={nameProblem !== null || undefined}
            aria-describedby="saved-name-error"
            onChange={(event) => {
              setName(event.target.value);
              if (ofName !== null) reset();
            }}
          />
        </Field>
        <CodeBlock code={jsonText('shown' in what ? what.shown : what.arguments)} language="json" label="Arguments" copyLabel={null} wrap />
        <Field
          id="saved-timeout"
          label="Timeout, s"
          description="Of each run. Left empty, the tool’s own."
          error={limit.problem}
          className="max-w-60"
        >
          <Input
            id="saved-timeout"
            inputMode="decimal"
            autoComplete="off"
            value={timeout}
            aria-invalid={limit.problem !== null || undefined}
            aria-describedby="saved-timeout-description saved-timeout-error"
            onChange={(event) => setTimeoutText(event.target.value)}
          />
        </Field>
        <ExpectationFields
          texts={texts}
          onChange={(next) => {
            setTexts(next);
            if (ofSchema !== null) reset();
          }}
          problem={ofSchema === null ? problem : { ok: false, field: 'schema', problem: ofSchema }}
          result={result}
        />
        <RequiredSwitch required={required} onChange={setRequired} whyNot={whyNot} />
        {refusal === null || ofSchema !== null || ofName !== null ? null : <ProblemLine>{refusal}</ProblemLine>}
      </form>
    </Dialog>
  );
}

function secondsOf(ms: number | null): string {
  return ms === null ? '' : String(ms / 1_000);
}

function sameJson(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
