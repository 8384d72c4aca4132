import { Ajv, type Options, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { withoutBigints } from '#lib/contract/big-integers.ts';
import { MULTIPLE_OF } from '#lib/contract/multiple-of.ts';
import type { CheckAnswer, CheckQuestion } from './check-messages.ts';
import { issuesOf } from './validation-messages.ts';

const OPTIONS: Options = {
  strict: false,
  allErrors: true,
  useDefaults: true,
  // Otherwise a missing property named `toString` would count as present.
  ownProperties: true,
  verbose: true,
  logger: false,
  code: { regExp: Object.assign(tolerantPattern, { code: 'new RegExp' }) },
};
const DRAFT_07 = /draft-07/;

let compiled: { text: string; validate: ValidateFunction } | null = null;

function validatorOf(text: string): ValidateFunction {
  if (compiled?.text === text) return compiled.validate;
  const schema: unknown = JSON.parse(text);
  if (typeof schema !== 'object' || schema === null) throw new Error('not a schema');
  const dialect: unknown = Reflect.get(schema, '$schema');
  const ajv = typeof dialect === 'string' && DRAFT_07.test(dialect) ? new Ajv(OPTIONS) : new Ajv2020(OPTIONS);
  addFormats(ajv);
  ajv.removeKeyword(MULTIPLE_OF.keyword).addKeyword(MULTIPLE_OF);
  const validate = ajv.compile(schema);
  compiled = { text, validate };
  return validate;
}

/** Patterns that are invalid in Unicode mode are tried without it, as the server does. */
function tolerantPattern(pattern: string, flags: string): RegExp {
  try {
    return new RegExp(pattern, flags);
  } catch {
    return new RegExp(pattern);
  }
}

export function checkPayload({ id, schema, payload }: CheckQuestion): CheckAnswer {
  try {
    const validate = validatorOf(schema);
    return { id, issues: validate(withoutBigints(payload)) ? [] : issuesOf(validate.errors ?? [], validate.schema) };
  } catch {
    return { id, issues: null };
  }
}
