import type { FieldPlan, FormSchema, NamedPart, UnionOption } from './field-plan.ts';
import { planAt } from './form-plan.ts';
import { isJsonObject } from './json-text.ts';
import { blankFor, isFixed, isOfKind } from './payload.ts';
import { sameJson } from './same-json.ts';

const DEEPEST = 6;

/** How much better another form must fit than the one a person has chosen before it takes its place. */
const CLEARLY = 2.5;

/** The form of a union that a value comes closest to, or the one that was chosen while nothing fits clearly better. -1: none fits. */
export function matchOption(options: readonly UnionOption[], value: unknown, chosen: number | null): number {
  if (value === undefined) return chosen ?? -1;
  const scores = options.map((option) => fit(option.part, value, 0));
  const most = Math.max(0, ...scores);
  const own = chosen === null ? 0 : (scores[chosen] ?? 0);
  if (chosen !== null && own > 0 && (own + CLEARLY >= most || isJson(options[chosen]))) return chosen;
  return most === 0 ? -1 : scores.indexOf(most);
}

function isJson(option: UnionOption | undefined): boolean {
  return option !== undefined && planAt(option.part, undefined).control === 'json';
}

/** The form that an empty object has by right: one that asks for no name. -1: a person has to choose. */
export function optionOfNothing(options: readonly UnionOption[]): number {
  return options.findIndex((option) => {
    const plan = planAt(option.part, {});
    return plan.control === 'object' && plan.required.length === 0;
  });
}

/** 0: does not fit; the more of the value the schema knows, the higher. */
function fit(part: FormSchema | null, value: unknown, depth: number): number {
  if (part === null) return 0;
  const plan = planAt(part, value);
  if (plan.control === 'json') return plan.node['type'] === 'object' && !isJsonObject(value) ? 0 : 1;
  if (value === null) return plan.nullable || plan.choices.some((choice) => choice.value === null) ? 2 : 0;
  if (depth > DEEPEST) return 1;
  if (plan.control === 'union') return Math.max(0, ...plan.options.map((option) => fit(option.part, value, depth + 1)));
  if (!isOfKind(plan, value)) return 0;
  if (plan.control === 'integer' && !Number.isInteger(value)) return 0;
  if (Array.isArray(value)) return fitList(plan, value, depth);
  if (isJsonObject(value)) return plan.control === 'object' ? fitObject(plan, value, depth) : 4;
  return plan.control === 'choice' ? 4 : plan.control === 'integer' ? 2.5 : 2;
}

function fitList(plan: FieldPlan, value: readonly unknown[], depth: number): number {
  if (value.length === 0) return 2;
  const first = fit(plan.places[0] ?? plan.items, value[0], depth + 1);
  return first === 0 ? 0.5 : 2 + first;
}

function fitObject(plan: FieldPlan, value: Readonly<Record<string, unknown>>, depth: number): number {
  const fields = new Map(plan.fields.map((field) => [field.name, field.part]));
  let score = 2;
  for (const [name, member] of Object.entries(value)) {
    const part = fields.get(name);
    if (part === undefined) continue;
    const known = fit(part, member, depth + 1);
    // A fixed value that differs ("kind": "circle" against "square") rules the form out.
    if (known === 0 && planAt(part, member).control === 'choice') return 0;
    score += known === 0 ? 0.5 : 1 + known;
  }
  for (const name of plan.required) if (!Object.hasOwn(value, name)) score -= 0.25;
  return Math.max(score, 0.1);
}

/** The value after another form was chosen: what both forms know by name stays, the rest starts anew. */
export function valueForOption(option: UnionOption, value: unknown): unknown {
  const blank = blankFor(option.part);
  if (!isJsonObject(blank) || !isJsonObject(value))
    return value !== undefined && value !== null && fit(option.part, value, 0) > 0.5 ? value : blank;
  const fields = new Map(planAt(option.part, value).fields.map((field) => [field.name, field.part]));
  const kept = Object.entries(value).filter(([name, member]) => {
    const part = fields.get(name);
    return part !== undefined && !Object.hasOwn(blank, name) && fit(part, member, 0) > 0;
  });
  return { ...blank, ...Object.fromEntries(kept) };
}

/** Whether the choice of a form says all that a field would: the only value there can be, and it goes out. */
export function isSaid({ name, part }: NamedPart, mark: string | null, value: Readonly<Record<string, unknown>>): boolean {
  if (name !== mark || !Object.hasOwn(value, name)) return false;
  const plan = planAt(part, value[name]);
  return isFixed(plan) && !plan.deprecated && sameJson(plan.choices[0]?.value, value[name]);
}
