import type { FieldPlan, FormSchema } from './field-plan.ts';
import { partForName, planAt } from './form-plan.ts';
import { isJsonObject } from './json-text.ts';
import { blankFor } from './payload.ts';
import type { Payload } from './payload.ts';
import { sameJson } from './same-json.ts';
import { listOf } from './schema-node.ts';
import { matchOption } from './union-option.ts';

export type Path = readonly (string | number)[];

/**
 * The payload after a person has put a value at a place, or (undefined) has taken it away. Nothing in it is undefined. An
 * optional object that loses its last value is not sent at all; one that gets its first begins with what it must hold. What a
 * person wrote as JSON elsewhere (an empty object, a null, names without a field) stays as it is.
 */
export function editPayload(form: FormSchema, payload: Payload, path: Path, next: unknown): Payload {
  const edited = edit(form, payload, path, next, true);
  return isJsonObject(edited) ? edited : {};
}

function edit(part: FormSchema | null, value: unknown, path: Path, next: unknown, keep: boolean): unknown {
  const [first, ...rest] = path;
  if (first === undefined) return next;
  const { plan, shape } = shapeOf(part, value);
  return typeof first === 'number'
    ? editList(plan, value, first, rest, next, keep)
    : editObject(plan, shape, value, first, rest, next, keep);
}

/** The object or list at a place, where it may have several forms the one that the value has. */
function shapeOf(part: FormSchema | null, value: unknown): { plan: FieldPlan | null; shape: FormSchema | null } {
  let shape = part;
  for (let depth = 0; shape !== null && depth < 8; depth += 1) {
    const plan = planAt(shape, value);
    if (plan.control !== 'union') return { plan, shape };
    shape = plan.options[matchOption(plan.options, value, null)]?.part ?? null;
  }
  return { plan: null, shape: null };
}

function editList(plan: FieldPlan | null, value: unknown, place: number, rest: Path, next: unknown, keep: boolean): unknown {
  const list = [...listOf(value)];
  const part = itemPart(plan, place);
  while (list.length < place) list.push(blankItem(itemPart(plan, list.length)));
  const item = edit(part, list[place], rest, next, true);
  if (item === undefined && plan?.control === 'tuple' && place >= list.length - 1) {
    list.length = place;
    // Nor what stood there only for the place after it.
    while (list.length > 0 && sameJson(list.at(-1), blankItem(itemPart(plan, list.length - 1)))) list.length -= 1;
  } else list[place] = item === undefined ? blankItem(part) : item;
  return list.length === 0 && !keep ? undefined : list;
}

/** The kind of the item at a place of a list. */
export function itemPart(plan: FieldPlan | null, place: number): FormSchema | null {
  return plan?.places[place] ?? plan?.items ?? null;
}

/** A list has no holes: what is not filled in yet is empty text, an empty object, or null. */
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
  keep: boolean,
): unknown {
  const blank = shape === null ? {} : blankFor(shape);
  const present = isJsonObject(value) ? value : isJsonObject(blank) ? blank : {};
  const field = plan?.fields.find((each) => each.name === name);
  const part = field?.part ?? partForName(plan?.further ?? null, name);
  const isNamed = field !== undefined || plan?.further === null;
  const member = edit(part, present[name], rest, next, plan?.required.includes(name) ?? false);
  if (member !== undefined) return withMember(present, name, member, plan?.fields.map((each) => each.name) ?? []);
  if (!isNamed && Object.hasOwn(present, name) && rest.length === 0) return withMember(present, name, blankItem(part), []);
  const left = Object.fromEntries(Object.entries(present).filter(([each]) => each !== name));
  return !keep && (Object.keys(left).length === 0 || sameJson(left, blank)) ? undefined : left;
}

/** A new name takes the place that the form gives it; what stands there already stays in its order. */
function withMember(object: Payload, name: string, member: unknown, order: readonly string[]): Payload {
  if (Object.hasOwn(object, name)) return { ...object, [name]: member };
  const place = order.indexOf(name);
  const entries = Object.entries(object);
  const before = place === -1 ? -1 : entries.findIndex(([each]) => order.indexOf(each) > place);
  return Object.fromEntries(entries.toSpliced(before === -1 ? entries.length : before, 0, [name, member]));
}
