import { getLocation, parse } from 'jsonc-parser';
import { itemPart } from '../edit-payload.ts';
import type { FieldPlan, FormSchema } from '../field-plan.ts';
import { partForName, planAt } from '../form-plan.ts';
import { isJsonObject } from '../json-text.ts';
import { pointerOf, valueAt } from '../pointer.ts';
import { sameJson } from '../same-json.ts';
import { listOf } from '../schema-node.ts';

/** What a place of a JSON text may hold by the schema, in one of the forms that its surroundings still allow. */
export interface Meaning {
  readonly plan: FieldPlan;
  /** Defaults and examples, its own and those of what is around it. */
  readonly samples: readonly unknown[];
}

/** Where the cursor stands in a text that may be half-written. */
export interface JsonPlace {
  /** Of a name the way to it, name included; of a value the way to it. */
  readonly path: readonly (string | number)[];
  readonly isName: boolean;
  /** The name or value that the cursor touches; empty where something new would begin. */
  readonly from: number;
  readonly to: number;
  /** All of the text that could be read. */
  readonly value: unknown;
}

const WORD = /[\w$.+-]*$/;
const MOST_FORMS = 40;

export function placeAt(text: string, at: number): JsonPlace {
  const { path, isAtPropertyKey: isName, previousNode: node } = getLocation(text, at);
  const isTouched = node !== undefined && node.offset <= at && at <= node.offset + node.length;
  const from = isTouched ? node.offset : at - (WORD.exec(text.slice(0, at))?.[0].length ?? 0);
  const to = isTouched ? lineEnd(text, from, from + node.length) : at + (/^[\w$.+-]*/.exec(text.slice(at))?.[0].length ?? 0);
  // A name without a value would hide what stands after it.
  const isBegun = isName && !/^\s*:/.test(text.slice(to));
  const readable = isBegun ? text.slice(0, from) + text.slice(to) : text;
  return { path, isName, from, to, value: parse(readable, [], { allowTrailingComma: true }) };
}

/** A text whose closing quotes are missing ends with its line. */
function lineEnd(text: string, from: number, to: number): number {
  const end = text.indexOf('\n', from);
  return end === -1 ? to : Math.min(to, end);
}

/** What may stand at the end of a path, by the schema and by what the text says around it. */
export function meaningsOf(form: FormSchema, value: unknown, path: readonly (string | number)[]): readonly Meaning[] {
  let found = formsOf(form, value, []);
  for (const [depth, step] of path.entries()) {
    const below = valueAt(value, pointerOf(path.slice(0, depth + 1)));
    found = found
      .flatMap(({ plan, samples }) => {
        const inner = samples.flatMap((sample) => membersAt(sample, step));
        const part = partBelow(plan, step);
        return part === null ? [] : formsOf(part, below, inner);
      })
      .slice(0, MOST_FORMS);
  }
  return found;
}

function partBelow(plan: FieldPlan, step: string | number): FormSchema | null {
  if (typeof step === 'number') return itemPart(plan, step);
  return plan.fields.find(({ name }) => name === step)?.part ?? partForName(plan.further, step) ?? (isFree(plan) ? ANYTHING : null);
}

const ANYTHING: FormSchema = { root: {}, schema: {} };

/** Any names and any values: only examples tell what might stand in it. */
function isFree(plan: FieldPlan): boolean {
  return plan.control === 'json' && plan.choices.length === 0;
}

function membersAt(sample: unknown, step: string | number): readonly unknown[] {
  if (typeof step === 'number') return listOf(sample);
  return isJsonObject(sample) && Object.hasOwn(sample, step) ? [sample[step]] : [];
}

function formsOf(part: FormSchema, value: unknown, around: readonly unknown[], depth = 0): readonly Meaning[] {
  const plan = planAt(part, value);
  const samples = [...(plan.fallback === null ? [] : [plan.fallback.value]), ...plan.examples, ...around];
  if (plan.control !== 'union' || depth > 4) return [{ plan, samples }];
  const possible = plan.options.filter((option) => !contradicts(option.part, value));
  return possible.flatMap((option) => formsOf(option.part, value, samples, depth + 1)).slice(0, MOST_FORMS);
}

/** Whether a value that tells the forms of an object apart is another one. */
function contradicts(part: FormSchema, value: unknown): boolean {
  if (!isJsonObject(value)) return false;
  const plan = planAt(part, value);
  return plan.fields.some(({ name, part: field }) => {
    if (!Object.hasOwn(value, name)) return false;
    const member = planAt(field, value[name]);
    return member.control === 'choice' && !member.choices.some((choice) => sameJson(choice.value, value[name]));
  });
}
