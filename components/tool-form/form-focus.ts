import type { FormSchema } from './field-plan.ts';
import { partForName, planAt } from './form-plan.ts';
import { isWithin, partsOf } from './issues.ts';
import { isJsonObject } from './json-text.ts';
import { itemPart, matchOption } from './payload.ts';

/** The field at a pointer or its nearest ancestor; null for none. */
function fieldFor(fields: readonly HTMLElement[], pointer: string): HTMLElement | null {
  let best: HTMLElement | null = null;
  for (const field of fields) {
    const path = field.dataset['path'] ?? '';
    if (isWithin(pointer, path) && (best === null || path.length > (best.dataset['path'] ?? '').length)) best = field;
  }
  return best;
}

export function focusFirstField(form: HTMLElement | null, pointers: readonly string[]): void {
  const fields = [...(form?.querySelectorAll<HTMLElement>('[data-path]') ?? [])];
  const wanted = new Set(pointers.map((pointer) => fieldFor(fields, pointer)));
  const field = fields.find((each) => wanted.has(each));
  if (field === undefined) return;
  const chosen = field.matches('[role=radiogroup], [role=group]')
    ? (field.querySelector<HTMLElement>('input:checked') ?? field.querySelector<HTMLElement>('input'))
    : null;
  (chosen ?? field).focus({ preventScroll: true });
  field.scrollIntoView({ block: 'center' });
}

/** A form's `ref`: keeps the focused field visible when content above it grows, unless the person scrolled it away. */
export function keepFocusClear(form: HTMLElement | null): (() => void) | undefined {
  if (form === null) return undefined;
  const observer = new ResizeObserver(() => {
    const { activeElement: focused } = document;
    if (focused === null || focused === form || !form.contains(focused)) return;
    const { top, bottom, height } = focused.getBoundingClientRect();
    const covered = Number.parseFloat(getComputedStyle(document.documentElement).scrollPaddingBottom) || 0;
    const foot = window.innerHeight - covered;
    if (top < window.innerHeight && bottom > foot && height < foot / 2) focused.scrollIntoView({ block: 'nearest' });
  });
  observer.observe(form);
  return () => observer.disconnect();
}

export function inFormOrder(pointers: readonly string[], form: FormSchema, payload: unknown): readonly string[] {
  const positions = new Map(pointers.map((pointer) => [pointer, placesOf(form, payload, partsOf(pointer))]));
  return pointers.toSorted((one, other) => compare(positions.get(one) ?? [], positions.get(other) ?? []));
}

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
  const part = isList ? itemPart(plan, place) : (plan.fields[field]?.part ?? partForName(plan.additional, first));
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
