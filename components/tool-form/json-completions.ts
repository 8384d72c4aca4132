import { getLocation, parse } from 'jsonc-parser';
import type { FieldPlan, FormSchema } from './field-plan.ts';
import { TYPE_WORDS, partForName, planAt } from './form-plan.ts';
import { inShort } from './form-view.tsx';
import { pointerOf, valueAt, withoutPointer } from './issues.ts';
import { isJsonObject, sameJson } from './json-text.ts';
import { blankFor, isFixed, itemPart } from './payload.ts';
import { listOf, nodeOf, typesOf } from './schema-node.ts';

export interface JsonCompletion {
  readonly label: string;
  /** "Text, required", "default". */
  readonly detail: string;
  readonly description: string | null;
  readonly insert: string;
  readonly caret: number;
  readonly opensNext: boolean;
  readonly isName: boolean;
}

interface JsonCompletions {
  readonly from: number;
  readonly to: number;
  readonly completions: readonly JsonCompletion[];
}

const MAX_COMPLETIONS = 100;
const ONE_LINE = 48;

export function completionsAt(form: FormSchema, text: string, at: number): JsonCompletions {
  const cursor = cursorAt(text, at);
  const typed = text.slice(cursor.from, at).replace(/^"/, '').toLowerCase();
  const all = cursor.isName ? nameCompletions(form, text, cursor) : valueCompletions(form, text, cursor);
  const fitting = all.filter(({ label }) => label.toLowerCase().includes(typed));
  const first = fitting.filter(({ label }) => label.toLowerCase().replace(/^"/, '').startsWith(typed));
  return {
    from: cursor.from,
    to: cursor.to,
    completions: [...first, ...fitting.filter((offer) => !first.includes(offer))].slice(0, MAX_COMPLETIONS),
  };
}

/** Opens automatically on a partial word, or where only some values are valid. */
export function opensAutomatically(text: string, at: number, { from, to, completions }: JsonCompletions): boolean {
  if (completions.length === 0 || completions.some(({ label }) => label === text.slice(from, to))) return false;
  return from < at || (completions.every((offer) => !offer.isName) && /:\s?$/.test(text.slice(0, at)));
}

export function descriptionAt(
  form: FormSchema,
  text: string,
  at: number,
): { from: number; to: number; title: string; lines: string[] } | null {
  const cursor = cursorAt(text, at);
  if (cursor.from === cursor.to || cursor.path.length === 0) return null;
  const [schemaMatch] = schemaMatches(form, cursor.value, cursor.path);
  if (schemaMatch === undefined) return null;
  const { plan } = schemaMatch;
  const lines = [
    kindOf(plan),
    plan.limits,
    plan.description,
    plan.defaultValue === null ? null : `default: ${inShort(plan.defaultValue.value)}`,
    plan.deprecated ? 'deprecated' : null,
  ].filter((line) => line !== null && line !== '');
  return { from: cursor.from, to: cursor.to, title: plan.title ?? String(cursor.path.at(-1)), lines: lines.map(String) };
}

function nameCompletions(form: FormSchema, text: string, { path, value, to }: CursorContext): JsonCompletion[] {
  const outer = path.slice(0, -1);
  const present = valueAt(value, pointerOf(outer));
  const taken = new Set(isJsonObject(present) ? Object.keys(present) : []);
  const completions = new Map<string, JsonCompletion>();
  const hasValue = /^\s*:/.test(text.slice(to));
  const comma = !hasValue && /^\s*"/.test(text.slice(to)) ? ',' : '';

  function offer(name: string, plan: FieldPlan | null, required: boolean, stub: { text: string; caret: number }) {
    if (completions.has(name) || (taken.has(name) && name !== path.at(-1))) return;
    const key = JSON.stringify(name);
    const lead = hasValue ? key : `${key}: `;
    completions.set(name, {
      label: key,
      detail: [plan === null ? 'from an example' : kindOf(plan), required ? 'required' : null].filter((word) => word !== null).join(', '),
      description: plan?.description ?? null,
      insert: hasValue ? key : lead + stub.text + comma,
      caret: hasValue ? key.length : lead.length + stub.caret,
      opensNext: !hasValue && stub.text === '',
      isName: true,
    });
  }

  for (const { plan, samples } of schemaMatches(form, value, outer)) {
    for (const field of plan.fields) {
      const inner = planAt(field.part, undefined);
      offer(field.name, inner, plan.required.includes(field.name), stubFor(field.part, inner));
    }
    for (const name of listOf(nodeOf(plan.node['propertyNames'])['enum']))
      if (typeof name === 'string') offer(name, null, false, { text: '', caret: 0 });
    for (const sample of samples)
      for (const [name, member] of Object.entries(isJsonObject(sample) ? sample : {}))
        if (plan.fields.length === 0) offer(name, null, false, caretAtEnd(JSON.stringify(member) ?? 'null'));
  }
  return [...completions.values()];
}

function caretAtEnd(text: string): { text: string; caret: number } {
  return { text, caret: text.length };
}

/** The constant, or brackets with the caret between them. */
function stubFor(part: FormSchema, plan: FieldPlan): { text: string; caret: number } {
  if (isFixed(plan)) return caretAtEnd(JSON.stringify(plan.choices[0]?.value) ?? 'null');
  const blank = blankFor(part);
  if (blank === '') return { text: '""', caret: 1 };
  if (Array.isArray(blank)) return { text: '[]', caret: 1 };
  if (isJsonObject(blank)) return Object.keys(blank).length === 0 ? { text: '{}', caret: 1 } : caretAtEnd(JSON.stringify(blank));
  return { text: '', caret: 0 };
}

function valueCompletions(form: FormSchema, text: string, { path, value, from }: CursorContext): JsonCompletion[] {
  const indent = /^\s*/.exec(text.slice(text.lastIndexOf('\n', from - 1) + 1))?.[0] ?? '';
  const found: { value: unknown; offer: JsonCompletion }[] = [];

  function offer(offered: unknown, detail: string, description: string | null = null) {
    if (offered === undefined || found.some((each) => sameJson(each.value, offered))) return;
    const short = JSON.stringify(offered);
    const insert = short.length <= ONE_LINE ? short : JSON.stringify(offered, null, 2).replaceAll('\n', `\n${indent}`);
    const label = short.length <= ONE_LINE ? short : `${short.slice(0, ONE_LINE - 1)}…`;
    found.push({ value: offered, offer: { label, detail, description, insert, caret: insert.length, opensNext: false, isName: false } });
  }

  // The text being typed does not exclude options.
  const around = typeof path.at(-1) === 'string' ? withoutPointer(value, pointerOf(path)) : value;
  for (const { plan, samples } of schemaMatches(form, around, path)) {
    const defaultValue = plan.defaultValue?.value;
    for (const choice of plan.choices)
      offer(choice.value, sameJson(choice.value, defaultValue) ? 'default' : choice.label === String(choice.value) ? '' : choice.label);
    if (plan.control === 'boolean') for (const answer of [true, false]) offer(answer, answer === defaultValue ? 'default' : '');
    for (const sample of samples) offer(sample, sameJson(sample, defaultValue) ? 'default' : 'example');
    if (plan.control === 'object') offer(startOf(plan), 'a new object', plan.description);
    if (plan.control === 'array' || plan.control === 'tuple') offer([], 'an empty list', plan.description);
    if (plan.nullable) offer(null, '');
  }
  return found.map((each) => each.offer);
}

function startOf(plan: FieldPlan): Readonly<Record<string, unknown>> {
  const fields = plan.fields.filter(({ name }) => plan.required.includes(name));
  return Object.fromEntries(fields.map(({ name, part }) => [name, blankFor(part) ?? null]));
}

function kindOf(plan: FieldPlan): string {
  if (plan.control === 'choice') return plan.choices.length === 1 ? 'One fixed value' : `One of ${plan.choices.length}`;
  if (plan.control === 'union') return `One of ${plan.options.length} forms`;
  const { types } = typesOf(plan.node);
  return types.length === 0 ? 'Any JSON' : types.map((type) => TYPE_WORDS[type] ?? type).join(' or ');
}

interface SchemaMatch {
  readonly plan: FieldPlan;
  /** Its own defaults and examples, and those of its parents. */
  readonly samples: readonly unknown[];
}

interface CursorContext {
  /** For a name the path includes it. */
  readonly path: readonly (string | number)[];
  readonly isName: boolean;
  readonly from: number;
  readonly to: number;
  readonly value: unknown;
}

const WORD = /[\w$.+-]*$/;
const MAX_OPTIONS = 40;

function cursorAt(text: string, at: number): CursorContext {
  const { path, isAtPropertyKey: isName, previousNode: node } = getLocation(text, at);
  const isAtCursor = node !== undefined && node.offset <= at && at <= node.offset + node.length;
  const from = isAtCursor ? node.offset : at - (WORD.exec(text.slice(0, at))?.[0].length ?? 0);
  const to = isAtCursor ? lineEnd(text, from, from + node.length) : at + (/^[\w$.+-]*/.exec(text.slice(at))?.[0].length ?? 0);
  // A name without a value would hide what follows.
  const isIncompleteName = isName && !/^\s*:/.test(text.slice(to));
  const readable = isIncompleteName ? text.slice(0, from) + text.slice(to) : text;
  return { path, isName, from, to, value: parse(readable, [], { allowTrailingComma: true }) };
}

/** An unclosed text ends with its line. */
function lineEnd(text: string, from: number, to: number): number {
  const end = text.indexOf('\n', from);
  return end === -1 ? to : Math.min(to, end);
}

function schemaMatches(form: FormSchema, value: unknown, path: readonly (string | number)[]): readonly SchemaMatch[] {
  let found = formsOf(form, value, []);
  for (const [depth, step] of path.entries()) {
    const below = valueAt(value, pointerOf(path.slice(0, depth + 1)));
    found = found
      .flatMap(({ plan, samples }) => {
        const inner = samples.flatMap((sample) => membersAt(sample, step));
        const part = partBelow(plan, step);
        return part === null ? [] : formsOf(part, below, inner);
      })
      .slice(0, MAX_OPTIONS);
  }
  return found;
}

function partBelow(plan: FieldPlan, step: string | number): FormSchema | null {
  if (typeof step === 'number') return itemPart(plan, step);
  return plan.fields.find(({ name }) => name === step)?.part ?? partForName(plan.additional, step) ?? (isFree(plan) ? ANYTHING : null);
}

const ANYTHING: FormSchema = { root: {}, schema: {} };

/** Only examples suggest something here. */
function isFree(plan: FieldPlan): boolean {
  return plan.control === 'json' && plan.choices.length === 0;
}

function membersAt(sample: unknown, step: string | number): readonly unknown[] {
  if (typeof step === 'number') return listOf(sample);
  return isJsonObject(sample) && Object.hasOwn(sample, step) ? [sample[step]] : [];
}

function formsOf(part: FormSchema, value: unknown, around: readonly unknown[], depth = 0): readonly SchemaMatch[] {
  const plan = planAt(part, value);
  const samples = [...(plan.defaultValue === null ? [] : [plan.defaultValue.value]), ...plan.examples, ...around];
  if (plan.control !== 'union' || depth > 4) return [{ plan, samples }];
  const possible = plan.options.filter((option) => !contradicts(option.part, value));
  return possible.flatMap((option) => formsOf(option.part, value, samples, depth + 1)).slice(0, MAX_OPTIONS);
}

/** A different discriminator excludes the option. */
function contradicts(part: FormSchema, value: unknown): boolean {
  if (!isJsonObject(value)) return false;
  const plan = planAt(part, value);
  return plan.fields.some(({ name, part: field }) => {
    if (!Object.hasOwn(value, name)) return false;
    const member = planAt(field, value[name]);
    return member.control === 'choice' && !member.choices.some((choice) => sameJson(choice.value, value[name]));
  });
}
