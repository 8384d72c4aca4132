import { CALL_ERROR_KINDS } from '#lib/contract/call-states.ts';
import { parseExactJson } from '#lib/contract/exact-json.ts';
import type { CallErrorKind } from '#lib/contract/call-states.ts';
import type { Expectation } from '#lib/contract/saved-call.ts';

/** An expectation as a person edits it; `any` expects nothing, `answered` success or a refusal in words. */
export interface ExpectationTexts {
  readonly status: 'any' | 'succeeded' | 'answered' | 'failed' | 'timed_out' | 'cancelled';
  readonly errorKind: CallErrorKind | '';
  /** JSON; empty when the result may be anything. */
  readonly includes: string;
  readonly schema: string;
}

export const EXPECTED_STATUSES = ['any', 'succeeded', 'answered', 'failed', 'timed_out', 'cancelled'] as const;

export const NOTHING_EXPECTED: ExpectationTexts = { status: 'any', errorKind: '', includes: '', schema: '' };

export type ReadExpectation =
  | { readonly ok: true; readonly expectation: Expectation | null }
  | { readonly ok: false; readonly field: 'includes' | 'schema'; readonly problem: string };

export function textsOf(expectation: Expectation | null): ExpectationTexts {
  if (expectation === null) return NOTHING_EXPECTED;
  const { status = 'succeeded', error_kind: kind, or_refused: orRefused, result_includes: includes, result_schema: schema } = expectation;
  const edited = status === 'succeeded' && orRefused === true ? 'answered' : status;
  return { status: edited, errorKind: kind ?? '', includes: jsonOf(includes), schema: jsonOf(schema) };
}

/** What stands in fields that do not belong to the chosen status is left out. */
export function readExpectation({ status, errorKind, includes, schema }: ExpectationTexts): ReadExpectation {
  if (status === 'any') return { ok: true, expectation: null };
  if (!expectsResult(status)) {
    const kind = CALL_ERROR_KINDS.find((each) => each === errorKind);
    return { ok: true, expectation: { status, ...(kind === undefined ? {} : { error_kind: kind }) } };
  }
  const part = parse(includes);
  if (!part.ok)
    return { ok: false, field: 'includes', problem: 'This is not JSON yet. A text stands in double quotes, an object in braces.' };
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

/** Whether something can be said of its result. */
export function expectsResult(status: ExpectationTexts['status']): status is 'succeeded' | 'answered' {
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
