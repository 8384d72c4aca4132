import { itemPart } from './edit-payload.ts';
import type { FormSchema } from './field-plan.ts';
import { partForName, planAt } from './form-plan.ts';
import { isJsonObject } from './json-text.ts';
import { partsOf } from './pointer.ts';
import { matchOption } from './union-option.ts';

/** Pointers in the order in which the form shows them, what it does not show last. */
export function inFormOrder(pointers: readonly string[], form: FormSchema, payload: unknown): readonly string[] {
  const places = new Map(pointers.map((pointer) => [pointer, placesOf(form, payload, partsOf(pointer))]));
  return pointers.toSorted((one, other) => compare(places.get(one) ?? [], places.get(other) ?? []));
}

/** Where a place stands among its neighbours, level by level. */
function placesOf(form: FormSchema, value: unknown, path: readonly string[]): readonly number[] {
  const [first, ...rest] = path;
  if (first === undefined) return [];
  const plan = planAt(form, value);
  if (plan.control === 'union') {
    const option = plan.options[matchOption(plan.options, value, null)];
    return option === undefined ? [] : placesOf(option.part, value, path);
  }
  const isList = Array.isArray(value);
  const field = plan.fields.findIndex(({ name }) => name === first);
  const entry = isJsonObject(value) ? Object.keys(value).indexOf(first) : -1;
  const place = isList ? Number(first) : field !== -1 ? field : entry === -1 ? Number.MAX_SAFE_INTEGER : plan.fields.length + entry;
  const part = isList ? itemPart(plan, place) : (plan.fields[field]?.part ?? partForName(plan.further, first));
  const inner: unknown = (isList || isJsonObject(value)) && Object.hasOwn(value, first) ? Reflect.get(value, first) : undefined;
  return [place, ...(part === null ? [] : placesOf(part, inner, rest))];
}

function compare(one: readonly number[], other: readonly number[]): number {
  for (const [level, place] of one.entries()) {
    const next = other[level];
    if (next === undefined) return 1;
    if (place !== next) return place - next;
  }
  return one.length - other.length;
}
