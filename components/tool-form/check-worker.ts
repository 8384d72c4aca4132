import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { Options, ValidateFunction } from 'ajv';
import { withoutBigints } from '#lib/contract/big-integers.ts';
import { MULTIPLE_OF } from '#lib/contract/multiple-of.ts';
import { READY } from './check-messages.ts';
import type { CheckAnswer, CheckQuestion } from './check-messages.ts';
import { issuesOf } from './plain-words.ts';

/*
 * Runs in a worker of the page: a tool's schema is foreign, and a pattern or a tangle of references that takes for ever
 * must not take the page with it. Compiling needs `eval`, too, and a worker has a content security policy of its own.
 */
const OPTIONS: Options = {
  strict: false,
  allErrors: true,
  useDefaults: true,
  // A property called `toString` is there when somebody sent it.
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

/** Patterns that are no Unicode ones are meant all the same; the server reads them so, too. */
function tolerantPattern(pattern: string, flags: string): RegExp {
  try {
    return new RegExp(pattern, flags);
  } catch {
    return new RegExp(pattern);
  }
}

function answer({ id, schema, payload }: CheckQuestion): CheckAnswer {
  try {
    const validate = validatorOf(schema);
    return { id, issues: validate(withoutBigints(payload)) ? [] : issuesOf(validate.errors ?? [], validate.schema) };
  } catch {
    return { id, issues: null };
  }
}

addEventListener('message', (event: MessageEvent<CheckQuestion>) => postMessage(answer(event.data)));
postMessage({ id: READY, issues: null } satisfies CheckAnswer);
