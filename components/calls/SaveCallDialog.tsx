'use client';

import { useEffect, useRef, useState } from 'react';
import { Button } from '#components/ui/Button.tsx';
import { CodeBlock } from '#components/ui/CodeBlock.tsx';
import { Field, Input, Select, Textarea } from '#components/ui/Field.tsx';
import { Switch } from '#components/ui/Switch.tsx';
import { FormDialog } from '#components/ui/FormDialog.tsx';
import { isAboutField, messageOf } from '#lib/client/api-problem.ts';
import { useChangeSavedCall, useSaveCall } from '#lib/client/saved-call-mutations.ts';
import { useMayNot } from '#lib/client/SessionProvider.tsx';
import { CALL_ERROR_KINDS, type CallErrorKind } from '#lib/contract/states.ts';
import { parseExactJson } from '#lib/contract/exact-json.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import type { Expectation, SavedCall } from '#lib/contract/saved-call.ts';
import { ERROR_KIND_OPTIONS, asSeconds, jsonText, readTimeout } from './call-words.ts';
import { schemaRefusal, whyNotRequired } from './saved-call-words.ts';

/** `any`: no expectation; `answered`: success or a refusal. */
interface ExpectationTexts {
  readonly status: 'any' | 'succeeded' | 'answered' | 'failed' | 'timed_out' | 'cancelled';
  readonly errorKind: CallErrorKind | '';
  readonly includes: string;
  readonly schema: string;
}

export const NOTHING_EXPECTED: ExpectationTexts = { status: 'any', errorKind: '', includes: '', schema: '' };

type ReadExpectation =
  | { readonly ok: true; readonly expectation: Expectation | null }
  | { readonly ok: false; readonly field: 'includes' | 'schema'; readonly problem: string };

export function textsOf(expectation: Expectation | null): ExpectationTexts {
  if (expectation === null) return NOTHING_EXPECTED;
  const { status = 'succeeded', error_kind: kind, or_refused: orRefused, result_includes: includes, result_schema: schema } = expectation;
  const edited = status === 'succeeded' && orRefused === true ? 'answered' : status;
  return { status: edited, errorKind: kind ?? '', includes: jsonOf(includes), schema: jsonOf(schema) };
}

/** Fields of other statuses are ignored. */
export function readExpectation({ status, errorKind, includes, schema }: ExpectationTexts): ReadExpectation {
  if (status === 'any') return { ok: true, expectation: null };
  if (!expectsResult(status)) {
    const kind = CALL_ERROR_KINDS.find((each) => each === errorKind);
    return { ok: true, expectation: { status, ...(kind === undefined ? {} : { error_kind: kind }) } };
  }
  const part = parse(includes);
  if (!part.ok) return { ok: false, field: 'includes', problem: 'This is not JSON yet. Put text in double quotes and objects in braces.' };
  const fits = parse(schema);
  if (!fits.ok || !isSchema(fits.value))
    return { ok: false, field: 'schema', problem: 'A JSON Schema is one JSON object, such as {"type": "object", "required": ["city"]}.' };
  return {
    ok: true,
    expectation: {
      status: 'succeeded',
      ...(status === 'answered' ? { or_refused: true } : {}),
      ...(part.value === undefined ? {} : { result_includes: part.value }),
      ...(fits.value === undefined ? {} : { result_schema: fits.value }),
    },
  };
}

function expectsResult(status: ExpectationTexts['status']): status is 'succeeded' | 'answered' {
  return status === 'succeeded' || status === 'answered';
}

function parse(text: string): { readonly ok: true; readonly value: unknown } | { readonly ok: false } {
  if (text.trim() === '') return { ok: true, value: undefined };
  try {
    return { ok: true, value: parseExactJson(text) };
  } catch {
    return { ok: false };
  }
}

function isSchema(value: unknown): value is Record<string, unknown> | undefined {
  return value === undefined || (typeof value === 'object' && value !== null && !Array.isArray(value));
}

function jsonOf(value: unknown): string {
  return value === undefined ? '' : JSON.stringify(value, null, 2);
}

export interface SaveCallDialogProps {
  onClose: () => void;
  what:
    | {
        readonly tool: string;
        readonly arguments: Readonly<Record<string, unknown>>;
        readonly shown: Readonly<Record<string, unknown>>;
        readonly timeout: string;
      }
    | SavedCall;
  result?: unknown;
  destructive?: boolean;
  onSaved?: (saved: SavedCall) => void;
}

export function SaveCallDialog({ onClose, what, result, destructive = false, onSaved }: SaveCallDialogProps) {
  const existing = 'id' in what ? what : null;
  const [name, setName] = useState(existing?.name ?? '');
  const [texts, setTexts] = useState(existing === null ? NOTHING_EXPECTED : textsOf(existing.expectation));
  const [required, setRequired] = useState(existing?.required ?? false);
  const [timeout, setTimeoutText] = useState('id' in what ? asSeconds(what.timeout_ms) : what.timeout);
  const limit = readTimeout(timeout);
  const [problem, setProblem] = useState<Extract<ReadExpectation, { ok: false }> | null>(null);
  const [nameless, setNameless] = useState(false);
  const save = useSaveCall();
  const change = useChangeSavedCall();
  const { isPending, error, reset } = existing === null ? save : change;
  const refusal = error === null ? null : messageOf(error);
  const ofSchema = refusal === null ? null : schemaRefusal(refusal);
  const ofName = isAboutField(error, 'name') ? refusal : null;
  const nameProblem = nameless ? 'Enter a name.' : ofName;
  const form = useRef<HTMLFormElement>(null);
  const mayNotRequire = useMayNot('checks.require');
  const whyNot = mayNotRequire ?? whyNotRequired({ isCheck: texts.status !== 'any', leftOut: existing?.left_out ?? [], destructive });

  async function submit() {
    setNameless(name.trim() === '');
    const read = readExpectation(texts);
    setProblem(read.ok ? null : read);
    if (name.trim() === '' || !read.ok || limit.problem !== null) return;
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
              ...(JSON.stringify(read.expectation) === JSON.stringify(existing.expectation) ? {} : { expectation: read.expectation }),
              ...((required && whyNot === null) === existing.required ? {} : { required: !existing.required }),
            },
          });
    onClose();
    onSaved?.(saved);
  }

  const focusInvalid = () => form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus();
  useEffect(() => {
    if (error !== null) focusInvalid();
  }, [error]);

  return (
    <FormDialog
      onClose={onClose}
      wide
      title={existing === null ? 'Save this call' : `Change ${existing.name}`}
      description={
        existing === null
          ? `${what.tool} with these arguments, shared with everyone on this server. Secrets are not saved.`
          : `A saved call of ${what.tool}.`
      }
      submit="Save"
      pending={isPending}
      error={ofSchema !== null || ofName !== null ? null : error}
      form={form}
      onSubmit={() => {
        submit().catch(() => undefined);
        requestAnimationFrame(focusInvalid);
      }}
    >
      <Field label="Name" required error={nameProblem}>
        <Input
          value={name}
          maxLength={LIMITS.savedCallNameLength}
          autoComplete="off"
          onChange={(event) => {
            setName(event.target.value);
            if (ofName !== null) reset();
          }}
        />
      </Field>
      <CodeBlock code={jsonText('shown' in what ? what.shown : what.arguments)} language="json" label="Arguments" copyLabel={null} wrap />
      <Field label="Timeout (s)" description="Per run. Empty: the tool’s own timeout." error={limit.problem} className="max-w-60">
        <Input inputMode="decimal" autoComplete="off" value={timeout} onChange={(event) => setTimeoutText(event.target.value)} />
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
    </FormDialog>
  );
}

const STATUS_OPTIONS = [
  ['any', 'None'],
  ['succeeded', 'Succeeds'],
  ['answered', 'Succeeds or returns a tool error'],
  ['failed', 'Fails'],
  ['timed_out', 'Times out'],
  ['cancelled', 'Is cancelled'],
] as const;

interface ExpectationFieldsProps {
  texts: ExpectationTexts;
  onChange: (texts: ExpectationTexts) => void;
  problem: Extract<ReadExpectation, { ok: false }> | null;
  result: unknown;
}

function ExpectationFields({ texts, onChange, problem, result }: ExpectationFieldsProps) {
  const ofField = (field: 'includes' | 'schema') => (problem?.field === field ? problem.problem : null);
  return (
    <>
      <Field label="Assertion">
        <Select options={STATUS_OPTIONS} value={texts.status} onChange={(status) => onChange({ ...texts, status })} />
      </Field>
      {texts.status === 'any' || expectsResult(texts.status) ? null : (
        <Field label="Kind of error">
          <Select
            options={[['', 'Any'], ...ERROR_KIND_OPTIONS]}
            value={texts.errorKind}
            onChange={(errorKind) => onChange({ ...texts, errorKind })}
          />
        </Field>
      )}
      {expectsResult(texts.status) ? (
        <>
          <Field
            label="Result contains (JSON)"
            description="Objects may have extra members. Empty: any result."
            error={ofField('includes')}
          >
            <Textarea
              rows={4}
              spellCheck={false}
              value={texts.includes}
              onChange={(event) => onChange({ ...texts, includes: event.target.value })}
              className="font-mono text-sm"
            />
          </Field>
          {result === undefined ? null : (
            <Button size="sm" className="self-start" onClick={() => onChange({ ...texts, includes: jsonText(result) })}>
              Use current result
            </Button>
          )}
          <Field label="Result matches JSON Schema" description="Empty: no schema." error={ofField('schema')}>
            <Textarea
              rows={3}
              spellCheck={false}
              value={texts.schema}
              onChange={(event) => onChange({ ...texts, schema: event.target.value })}
              className="font-mono text-sm"
            />
          </Field>
        </>
      ) : null}
    </>
  );
}

function RequiredSwitch(props: { required: boolean; onChange: (required: boolean) => void; whyNot: string | null }) {
  const { required, onChange, whyNot } = props;
  return (
    <div className="flex flex-col gap-1 rounded border px-3 py-2">
      {whyNot === null ? (
        <Switch label="Required" checked={required} onChange={onChange} describedBy="required-description" />
      ) : (
        <p className="font-medium">Not required</p>
      )}
      <p id="required-description" className="text-sm text-muted">
        {whyNot ??
          'New revisions are served only if this check passes; until then the last good one keeps serving. The server calls the tool at every load; these calls are not in the history.'}
      </p>
    </div>
  );
}
