import type { FieldPlan, FormSchema, NamedPart, UnionOption } from './field-plan.ts';
import { partForName, planAt } from './form-plan.ts';
import { isJsonObject, sameJson } from './json-text.ts';
import { listOf } from './schema-node.ts';

export type Payload = Readonly<Record<string, unknown>>;

/** Recursion limit for required objects. */
const MAX_BLANK_DEPTH = 6;

/** Only required objects, and in them values with a single option. */
export function startPayload(form: FormSchema): Payload {
  const plan = planAt(form, {});
  const start = plan.control === 'object' ? blankFor(form) : {};
  return isJsonObject(start) ? start : {};
}

export function blankFor(part: FormSchema, depth = 0): unknown {
  const plan = planAt(part, undefined);
  switch (plan.control) {
    case 'object':
      return Object.fromEntries(
        plan.fields
          .filter(({ name }) => plan.required.includes(name))
          .map((field): [string, unknown] => [field.name, blankOfRequired(field.part, depth + 1)])
          .filter((entry) => entry[1] !== undefined),
      );
    case 'array':
    case 'tuple':
    case 'choices':
      return [];
    case 'text':
    case 'multiline':
    case 'password':
    case 'bytes':
      return '';
    case 'choice':
      return isFixed(plan) ? plan.choices[0]?.value : undefined;
    case 'union': {
      const [first] = plan.options;
      return first === undefined || depth > MAX_BLANK_DEPTH ? undefined : blankFor(first.part, depth + 1);
    }
    default:
      return undefined;
  }
}

function blankOfRequired(part: FormSchema, depth: number): unknown {
  const plan = planAt(part, undefined);
  if (plan.control === 'object') return depth > MAX_BLANK_DEPTH || plan.nullable ? undefined : blankFor(part, depth);
  return plan.control === 'choice' && isFixed(plan) ? plan.choices[0]?.value : undefined;
}

export function isFixed(plan: FieldPlan): boolean {
  return plan.control === 'choice' && plan.choices.length === 1 && !plan.nullable;
}

/** Thousands of fields would block the page. */
export const MAX_FIELDS = 200;

/** If not, the value is edited as JSON. */
export function canShow(plan: FieldPlan, value: unknown): boolean {
  return isOfKind(plan, value) && !(typeof value === 'string' && isChanged(plan, value));
}

/** Text areas normalize line breaks, inputs remove them. */
function isChanged({ control }: FieldPlan, text: string): boolean {
  if (control === 'text' || control === 'multiline') return text.includes('\r');
  return (control === 'bytes' || control === 'date' || control === 'time' || control === 'date-time') && /[\r\n]/.test(text);
}

function isOfKind(plan: FieldPlan, value: unknown): boolean {
  if (value === undefined) return true;
  if (value === null) return true;
  switch (plan.control) {
    case 'text':
    case 'multiline':
    case 'password':
    case 'bytes':
    case 'date':
    case 'time':
    case 'date-time':
      return typeof value === 'string';
    case 'number':
    case 'integer':
      return typeof value === 'number' || typeof value === 'bigint';
    case 'boolean':
      return typeof value === 'boolean';
    case 'choice':
      return plan.choices.some((choice) => sameJson(choice.value, value));
    case 'choices':
    case 'array':
    case 'tuple':
      return Array.isArray(value) && value.length <= MAX_FIELDS;
    case 'object':
      return isJsonObject(value);
    case 'union':
    case 'json':
      return true;
  }
}

const MAX_DEPTH = 6;

/** Margin by which another option must score higher than the selected one. */
const SWITCH_MARGIN = 2.5;

/** The selected option, unless another matches clearly better. -1 for none. */
export function matchOption(options: readonly UnionOption[], value: unknown, chosen: number | null): number {
  if (value === undefined) return chosen ?? -1;
  const scores = options.map((option) => scoreOf(option.part, value, 0));
  const max = Math.max(0, ...scores);
  const own = chosen === null ? 0 : (scores[chosen] ?? 0);
  if (chosen !== null && own > 0 && (own + SWITCH_MARGIN >= max || isJson(options[chosen]))) return chosen;
  return max === 0 ? -1 : scores.indexOf(max);
}

function isJson(option: UnionOption | undefined): boolean {
  return option !== undefined && planAt(option.part, undefined).control === 'json';
}

/** The option without required names. -1: the person chooses. */
export function emptyOption(options: readonly UnionOption[]): number {
  return options.findIndex((option) => {
    const plan = planAt(option.part, {});
    return plan.control === 'object' && plan.required.length === 0;
  });
}

/** 0: no match; more known properties score higher. */
function scoreOf(part: FormSchema | null, value: unknown, depth: number): number {
  if (part === null) return 0;
  const plan = planAt(part, value);
  if (plan.control === 'json') return plan.node['type'] === 'object' && !isJsonObject(value) ? 0 : 1;
  if (value === null) return plan.nullable || plan.choices.some((choice) => choice.value === null) ? 2 : 0;
  if (depth > MAX_DEPTH) return 1;
  if (plan.control === 'union') return Math.max(0, ...plan.options.map((option) => scoreOf(option.part, value, depth + 1)));
  if (!isOfKind(plan, value)) return 0;
  if (plan.control === 'integer' && !Number.isInteger(value)) return 0;
  if (Array.isArray(value)) return scoreList(plan, value, depth);
  if (isJsonObject(value)) return plan.control === 'object' ? scoreObject(plan, value, depth) : 4;
  return plan.control === 'choice' ? 4 : plan.control === 'integer' ? 2.5 : 2;
}

function scoreList(plan: FieldPlan, value: readonly unknown[], depth: number): number {
  if (value.length === 0) return 2;
  const first = scoreOf(plan.tupleItems[0] ?? plan.items, value[0], depth + 1);
  return first === 0 ? 0.5 : 2 + first;
}

function scoreObject(plan: FieldPlan, value: Readonly<Record<string, unknown>>, depth: number): number {
  const fields = new Map(plan.fields.map((field) => [field.name, field.part]));
  let score = 2;
  for (const [name, member] of Object.entries(value)) {
    const part = fields.get(name);
    if (part === undefined) continue;
    const known = scoreOf(part, member, depth + 1);
    // A different discriminator excludes the option.
    if (known === 0 && planAt(part, member).control === 'choice') return 0;
    score += known === 0 ? 0.5 : 1 + known;
  }
  for (const name of plan.required) if (!Object.hasOwn(value, name)) score -= 0.25;
  return Math.max(score, 0.1);
}

/** Properties known to both options are kept. */
export function valueForOption(option: UnionOption, value: unknown): unknown {
  const blank = blankFor(option.part);
  if (!isJsonObject(blank) || !isJsonObject(value))
    return value !== undefined && value !== null && scoreOf(option.part, value, 0) > 0.5 ? value : blank;
  const fields = new Map(planAt(option.part, value).fields.map((field) => [field.name, field.part]));
  const shared = Object.entries(value).filter(([name, member]) => {
    const part = fields.get(name);
    return part !== undefined && !Object.hasOwn(blank, name) && scoreOf(part, member, 0) > 0;
  });
  return { ...blank, ...Object.fromEntries(shared) };
}

/** Whether selecting the option sets the property completely. */
export function isSetByOption({ name, part }: NamedPart, discriminator: string | null, value: Readonly<Record<string, unknown>>): boolean {
  if (name !== discriminator || !Object.hasOwn(value, name)) return false;
  const plan = planAt(part, value[name]);
  return isFixed(plan) && !plan.deprecated && sameJson(plan.choices[0]?.value, value[name]);
}

export type Path = readonly (string | number)[];

/**
 * Never contains undefined. An optional object that loses its last value is removed; one that gets its first starts with its
 * required constants. What was written as JSON elsewhere stays.
 */
export function editPayload(form: FormSchema, payload: Payload, path: Path, next: unknown): Payload {
  const edited = edit(form, payload, path, next, true);
  return isJsonObject(edited) ? edited : {};
}

function edit(part: FormSchema | null, value: unknown, path: Path, next: unknown, keepsEmpty: boolean): unknown {
  const [first, ...rest] = path;
  if (first === undefined) return next;
  const { plan, shape } = shapeOf(part, value);
  return typeof first === 'number'
    ? editList(plan, value, first, rest, next, keepsEmpty)
    : editObject(plan, shape, value, first, rest, next, keepsEmpty);
}

function shapeOf(part: FormSchema | null, value: unknown): { plan: FieldPlan | null; shape: FormSchema | null } {
  let shape = part;
  for (let depth = 0; shape !== null && depth < 8; depth += 1) {
    const plan = planAt(shape, value);
    if (plan.control !== 'union') return { plan, shape };
    shape = plan.options[matchOption(plan.options, value, null)]?.part ?? null;
  }
  return { plan: null, shape: null };
}

function editList(plan: FieldPlan | null, value: unknown, place: number, rest: Path, next: unknown, keepsEmpty: boolean): unknown {
  const list = [...listOf(value)];
  const part = itemPart(plan, place);
  while (list.length < place) list.push(blankItem(itemPart(plan, list.length)));
  const item = edit(part, list[place], rest, next, true);
  if (item === undefined && plan?.control === 'tuple' && place >= list.length - 1) {
    list.length = place;
    // Trailing placeholders are removed too.
    while (list.length > 0 && sameJson(list.at(-1), blankItem(itemPart(plan, list.length - 1)))) list.length -= 1;
  } else list[place] = item === undefined ? blankItem(part) : item;
  return list.length === 0 && !keepsEmpty ? undefined : list;
}

export function itemPart(plan: FieldPlan | null, place: number): FormSchema | null {
  return plan?.tupleItems[place] ?? plan?.items ?? null;
}

/** Lists have no holes: empty items are empty text, an empty object or null. */
export function blankItem(part: FormSchema | null): unknown {
  return (part === null ? undefined : blankFor(part)) ?? null;
}

function editObject(
  plan: FieldPlan | null,
  shape: FormSchema | null,
  value: unknown,
  name: string,
  rest: Path,
  next: unknown,
  keepsEmpty: boolean,
): unknown {
  const blank = shape === null ? {} : blankFor(shape);
  const present = isJsonObject(value) ? value : isJsonObject(blank) ? blank : {};
  const field = plan?.fields.find((each) => each.name === name);
  const part = field?.part ?? partForName(plan?.additional ?? null, name);
  const isNamed = field !== undefined || plan?.additional === null;
  const member = edit(part, present[name], rest, next, plan?.required.includes(name) ?? false);
  if (member !== undefined) return withMember(present, name, member, plan?.fields.map((each) => each.name) ?? []);
  if (!isNamed && Object.hasOwn(present, name) && rest.length === 0) return withMember(present, name, blankItem(part), []);
  const left = Object.fromEntries(Object.entries(present).filter(([each]) => each !== name));
  return !keepsEmpty && (Object.keys(left).length === 0 || sameJson(left, blank)) ? undefined : left;
}

/** New names take their position in the form; existing names keep theirs. */
function withMember(object: Payload, name: string, member: unknown, order: readonly string[]): Payload {
  if (Object.hasOwn(object, name)) return { ...object, [name]: member };
  const place = order.indexOf(name);
  const entries = Object.entries(object);
  const before = place === -1 ? -1 : entries.findIndex(([each]) => order.indexOf(each) > place);
  return Object.fromEntries(entries.toSpliced(before === -1 ? entries.length : before, 0, [name, member]));
}
