'use client';

import { Button } from '#components/ui/Button.tsx';
import { Field, Select, Textarea } from '#components/ui/Field.tsx';
import { CALL_ERROR_KINDS } from '#lib/contract/call-states.ts';
import { ERROR_WORDS, jsonText } from './call-words.ts';
import { EXPECTED_STATUSES, expectsResult } from './expectation-texts.ts';
import type { ExpectationTexts, ReadExpectation } from './expectation-texts.ts';

const STATUS_OPTIONS: Record<ExpectationTexts['status'], string> = {
  any: 'Nothing: just a saved call',
  succeeded: 'It succeeds',
  answered: 'It succeeds, or refuses in words',
  failed: 'It fails',
  timed_out: 'It times out',
  cancelled: 'It is cancelled',
};

export interface ExpectationFieldsProps {
  texts: ExpectationTexts;
  onChange: (texts: ExpectationTexts) => void;
  problem: Extract<ReadExpectation, { ok: false }> | null;
  /** A result that is at hand, to begin with; undefined when there is none. */
  result: unknown;
}

/** What must come of a saved call, for it to be a check. */
export function ExpectationFields({ texts, onChange, problem, result }: ExpectationFieldsProps) {
  const ofField = (field: 'includes' | 'schema') => (problem?.field === field ? problem.problem : null);
  return (
    <>
      <Field id="expect-status" label="What is expected">
        <Select
          id="expect-status"
          value={texts.status}
          onChange={(event) => onChange({ ...texts, status: EXPECTED_STATUSES.find((each) => each === event.target.value) ?? 'any' })}
        >
          {EXPECTED_STATUSES.map((status) => (
            <option key={status} value={status}>
              {STATUS_OPTIONS[status]}
            </option>
          ))}
        </Select>
      </Field>
      {texts.status === 'any' || expectsResult(texts.status) ? null : (
        <Field id="expect-kind" label="Kind of error">
          <Select
            id="expect-kind"
            value={texts.errorKind}
            onChange={(event) => onChange({ ...texts, errorKind: CALL_ERROR_KINDS.find((each) => each === event.target.value) ?? '' })}
          >
            <option value="">Any</option>
            {CALL_ERROR_KINDS.map((kind) => (
              <option key={kind} value={kind}>
                {ERROR_WORDS[kind].word}
              </option>
            ))}
          </Select>
        </Field>
      )}
      {expectsResult(texts.status) ? (
        <>
          <Field
            id="expect-includes"
            label="The result has, as JSON"
            description="Objects may have more members than these; everything else must be the same. Empty: anything."
            error={ofField('includes')}
          >
            <Textarea
              id="expect-includes"
              rows={4}
              spellCheck={false}
              value={texts.includes}
              aria-invalid={ofField('includes') !== null || undefined}
              aria-describedby="expect-includes-description expect-includes-error"
              onChange={(event) => onChange({ ...texts, includes: event.target.value })}
              className="font-mono text-sm"
            />
          </Field>
          {result === undefined ? null : (
            <Button size="sm" className="self-start" onClick={() => onChange({ ...texts, includes: jsonText(result) })}>
              Take the present result
            </Button>
          )}
          <Field id="expect-schema" label="The result fits this JSON Schema" description="Empty: no schema." error={ofField('schema')}>
            <Textarea
              id="expect-schema"
              rows={3}
              spellCheck={false}
              value={texts.schema}
              aria-invalid={ofField('schema') !== null || undefined}
              aria-describedby="expect-schema-description expect-schema-error"
              onChange={(event) => onChange({ ...texts, schema: event.target.value })}
              className="font-mono text-sm"
            />
          </Field>
        </>
      ) : null}
    </>
  );
}
