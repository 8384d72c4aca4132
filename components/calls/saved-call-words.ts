import { pointerInWords } from '#components/ui/pointer-words.ts';
import type { StateName } from '#components/ui/Badge.tsx';
import { STATES } from '#components/ui/Badge.tsx';
import { parseExactJson } from '#lib/contract/exact-json.ts';
import type { SavedCall } from '#lib/contract/saved-call.ts';
import { placeIn } from '#lib/contract/secret-places.ts';

export function statusOfSaved({ last_run: run }: SavedCall): { readonly state: StateName; readonly word: string } | null {
  if (run === null) return null;
  if (run.passed === null) return { state: run.status, word: STATES[run.status].word };
  return run.passed ? { state: 'succeeded', word: 'Passed' } : { state: 'failed', word: 'Did not pass' };
}

export interface RequiredFacts {
  readonly isCheck: boolean;
  readonly leftOut: readonly string[];
  readonly destructive: boolean;
}

/** Null if it can be required. */
export function whyNotRequired({ isCheck, leftOut, destructive }: RequiredFacts): string | null {
  if (destructive) return 'This tool is destructive, so the server never calls it automatically.';
  if (leftOut.length > 0) return `The server cannot make this call: its secrets (${leftOut.map(pointerInWords).join(', ')}) are not kept.`;
  if (!isCheck) return 'Set an assertion to make this a required check.';
  return null;
}

const SCHEMA_REFUSED = 'result_schema ';

export function schemaRefusal(message: string): string | null {
  return message.startsWith(SCHEMA_REFUSED) ? `The schema ${message.slice(SCHEMA_REFUSED.length)}` : null;
}

export function checksInWords(saved: readonly SavedCall[]): string | null {
  const checks = saved.filter((each) => each.expectation !== null);
  if (checks.length === 0) return null;
  const passed = checks.filter((each) => each.last_run?.passed === true).length;
  return `${passed} of ${checks.length} ${checks.length === 1 ? 'check' : 'checks'} passed`;
}

export function withSecrets(args: Readonly<Record<string, unknown>>, secrets: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const whole: Record<string, unknown> = structuredClone({ ...args });
  for (const [pointer, secret] of Object.entries(secrets)) {
    const names = namesOf(pointer);
    let at: unknown = whole;
    for (const name of names.slice(0, -1)) at = isObject(at) ? at[name] : undefined;
    const last = names.at(-1);
    if (isObject(at) && last !== undefined) at[last] = secret;
  }
  return whole;
}

const TYPES_IN_WORDS: Readonly<Record<string, string>> = {
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list as JSON',
  object: 'an object as JSON',
  null: 'null',
};

export function kindOfSecret(schema: Schema, args: Readonly<Record<string, unknown>>, pointer: string): string | null {
  const types = typesAt(schema, args, pointer);
  return isText(types) ? null : types.map((type) => TYPES_IN_WORDS[type] ?? type).join(' or ');
}

export function readSecret(typed: string, schema: Schema, args: Readonly<Record<string, unknown>>, pointer: string): unknown {
  const types = typesAt(schema, args, pointer);
  if (isText(types)) return typed;
  try {
    const value = parseExactJson(typed);
    const type = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
    const isInteger = typeof value === 'bigint' || Number.isInteger(value);
    return types.includes(type) || (isInteger && (types.includes('integer') || types.includes('number'))) ? value : undefined;
  } catch {
    return undefined;
  }
}

type Schema = Readonly<Record<string, unknown>>;

function typesAt(schema: Schema, args: Readonly<Record<string, unknown>>, pointer: string): readonly string[] {
  let place = placeIn(new Map([[schema, schema]]));
  let at: unknown = args;
  for (const name of namesOf(pointer)) {
    place = place.at(Array.isArray(at) ? Number(name) : name);
    at = isObject(at) ? at[name] : undefined;
  }
  return place.types;
}

function isText(types: readonly string[]): boolean {
  return types.length === 0 || types.includes('string');
}

function namesOf(pointer: string): readonly string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
