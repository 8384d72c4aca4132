import { readInteger } from '#lib/contract/big-integers.ts';
import { parseExactJson } from '#lib/contract/exact-json.ts';
import type { JsonSchema } from '#lib/contract/tool.ts';
import type { CommandPair } from './parse-command.ts';

/**
 * `key=value` texts → arguments by the tool's schema: numbers only where it allows numbers, else text. Errors are reported per
 * key; the tool's validation checks the rest.
 */
export type CoercedArguments =
  | { readonly ok: true; readonly args: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly message: string };

type Coerced = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly need: string };

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

/** @param hidden keys whose values must not be repeated */
export function coerceArguments(
  pairs: readonly CommandPair[],
  parameters: JsonSchema,
  hidden: ReadonlySet<string> = new Set(),
): CoercedArguments {
  const args = new Map<string, unknown>();
  const byKey = Map.groupBy(pairs, ({ key }) => key);
  const wrong: string[] = [];
  for (const [key, given] of byKey) {
    const schema = propertyOf(parameters, key);
    const [first, ...more] = given;
    if (first === undefined) continue;
    const types = typesOf(schema, parameters);
    if (more.length > 0 && types.size > 0 && !types.has('array')) {
      wrong.push(`${key} is given ${given.length} times; it takes one value.`);
      continue;
    }
    // A repeated key is a list.
    const coerced = more.length === 0 ? coerceOne(first, schema, parameters) : listOf(given, schema, parameters);
    if (coerced.ok) args.set(key, coerced.value);
    else wrong.push(`${key} must be ${coerced.need}, and ${hidden.has(key) ? 'what was given' : `“${first.value.slice(0, 80)}”`} is not.`);
  }
  return wrong.length === 0 ? { ok: true, args: Object.fromEntries(args) } : { ok: false, message: wrong.join(' ') };
}

function listOf(given: readonly CommandPair[], schema: unknown, root: JsonSchema): Coerced {
  const items = read(resolved(schema, root), 'items');
  const values: unknown[] = [];
  for (const pair of given) {
    const item = coerceOne(pair, items, root);
    if (!item.ok) return { ok: false, need: `a list in which each is ${item.need}` };
    values.push(item.value);
  }
  return { ok: true, value: values };
}

function coerceOne(pair: CommandPair, schema: unknown, root: JsonSchema): Coerced {
  const { value: text, isQuoted } = pair;
  const types = typesOf(schema, root);
  const choices = choicesOf(schema, root);
  const chosen = choices?.find((choice) => (typeof choice === 'string' ? choice === text : !isQuoted && JSON.stringify(choice) === text));
  if (chosen !== undefined) return { ok: true, value: chosen };
  const takesText = types.has('string');
  if (types.size === 0) return { ok: true, value: isQuoted ? text : (readJson(text) ?? text) };
  if (takesText && (isQuoted || types.size === 1)) return { ok: true, value: text };
  if ((types.has('integer') || types.has('number')) && NUMBER.test(text)) {
    const number = Number(text);
    if (Number.isFinite(number) && (types.has('number') || Number.isInteger(number)))
      return { ok: true, value: /^[+-]?\d+$/.test(text) ? readInteger(text.replace(/^\+/, '')) : number };
  }
  if (types.has('boolean') && /^(?:true|false)$/i.test(text)) return { ok: true, value: text.toLowerCase() === 'true' };
  if (types.has('null') && text === 'null') return { ok: true, value: null };
  const json = /^[[{]/.test(text) ? readJson(text) : undefined;
  if (json !== undefined && types.has(Array.isArray(json) ? 'array' : 'object')) return { ok: true, value: json };
  if (types.has('array') && json === undefined && !text.startsWith('[')) {
    const parts = isQuoted || text === '' ? [pair] : text.split(',').map((value) => ({ ...pair, value }));
    return listOf(text === '' && !isQuoted ? [] : parts, schema, root);
  }
  if (takesText) return { ok: true, value: text };
  return { ok: false, need: needOf(types, choices) };
}

function needOf(types: ReadonlySet<string>, choices: readonly unknown[] | null): string {
  if (choices !== null) return `one of ${choices.map((choice) => JSON.stringify(choice)).join(', ')}`;
  return [...types].map((type) => WORDS[type] ?? type).join(' or ');
}

const WORDS: Readonly<Record<string, string>> = {
  string: 'a text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  null: 'null',
  array: 'a list such as [1, 2]',
  object: 'an object such as {"a": 1}',
};

function readJson(text: string): unknown {
  try {
    return parseExactJson(text);
  } catch {
    return undefined;
  }
}

/** Types allowed by a schema, through unions and local references; empty: any. */
function typesOf(schema: unknown, root: JsonSchema, depth = 0): ReadonlySet<string> {
  const here = resolved(schema, root);
  const type = read(here, 'type');
  if (typeof type === 'string') return new Set([type]);
  if (Array.isArray(type)) return new Set(type.filter((word) => typeof word === 'string'));
  const choices = choicesOf(here, root);
  if (choices !== null) return new Set(choices.map(typeOfValue));
  const branches = read(here, 'anyOf') ?? read(here, 'oneOf');
  if (!Array.isArray(branches) || depth > 8) return new Set();
  const all = branches.map((branch: unknown) => typesOf(branch, root, depth + 1));
  return all.some((types) => types.size === 0) ? new Set() : new Set(all.flatMap((types) => [...types]));
}

function choicesOf(schema: unknown, root: JsonSchema): readonly unknown[] | null {
  const here = resolved(schema, root);
  const listed = read(here, 'enum');
  if (Array.isArray(listed)) return listed.map((choice: unknown) => choice);
  const constant = read(here, 'const');
  return constant === undefined ? null : [constant];
}

function typeOfValue(value: unknown): string {
  if (value === null) return 'null';
  if (typeof value === 'bigint') return 'integer';
  return Array.isArray(value) ? 'array' : typeof value;
}

function propertyOf(parameters: JsonSchema, key: string): unknown {
  const properties = read(resolved(parameters, parameters), 'properties');
  if (typeof properties === 'object' && properties !== null && Object.hasOwn(properties, key)) return read(properties, key);
  return parameters['additionalProperties'];
}

/** Target of a local `$ref`. */
function resolved(schema: unknown, root: JsonSchema, depth = 0): unknown {
  const reference = read(schema, '$ref');
  if (typeof reference !== 'string' || !reference.startsWith('#/') || depth > 8) return schema;
  let target: unknown = root;
  for (const part of reference.slice(2).split('/')) target = read(target, part.replaceAll('~1', '/').replaceAll('~0', '~'));
  return resolved(target, root, depth + 1);
}

function read(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
  return Reflect.get(value, key);
}
