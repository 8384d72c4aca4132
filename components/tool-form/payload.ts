import type { RJSFSchema } from '@rjsf/utils';
import { planOf } from './field-plan.ts';
import type { FieldPlan } from './field-plan.ts';
import { isJsonObject } from './json-text.ts';

export type Payload = Readonly<Record<string, unknown>>;

/** The payload of an untouched form: only objects that must be sent, and in them the values that cannot be anything else. */
export function startPayload(form: RJSFSchema): Payload {
  const start = blankFor(form);
  return isJsonObject(start) ? start : {};
}

/** What a new item of a list, a new value of a map or a chosen form of a union begins with. Undefined: nothing yet. */
export function blankFor(schema: RJSFSchema | undefined): unknown {
  const plan = planOf(schema);
  if (plan === null) return undefined;
  switch (plan.control) {
    case 'object':
      return Object.fromEntries(
        plan.required
          .map((name): [string, unknown] => [name, blankOfRequired(propertyOf(schema, name))])
          .filter((entry) => entry[1] !== undefined),
      );
    case 'map':
      return {};
    case 'array':
    case 'choices':
      return [];
    case 'text':
    case 'multiline':
    case 'password':
      return '';
    case 'choice':
      return plan.choices.length === 1 ? plan.choices[0]?.value : undefined;
    case 'union':
      return blankFor(plan.options[0]?.schema);
    default:
      return undefined;
  }
}

function blankOfRequired(schema: RJSFSchema | undefined): unknown {
  const plan = planOf(schema);
  return plan?.control === 'object' || (plan?.control === 'choice' && plan.choices.length === 1 && !plan.nullable)
    ? blankFor(schema)
    : undefined;
}

export function propertyOf(schema: RJSFSchema | undefined, name: string): RJSFSchema | undefined {
  const properties = schema?.properties;
  if (properties === undefined || !Object.hasOwn(properties, name)) return undefined;
  const property = properties[name];
  return typeof property === 'object' ? property : undefined;
}

/**
 * What the form made, as it is sent: nothing is undefined, and an optional object that lost its last value is not sent
 * at all. What the person wrote as JSON (an empty object, a null) stays: only what was there and changed is touched.
 */
export function tidyPayload(next: unknown, before: unknown, form: RJSFSchema): Payload {
  const tidied = tidy(next, before, form, true);
  return isJsonObject(tidied) ? tidied : {};
}

function tidy(next: unknown, before: unknown, schema: RJSFSchema | undefined, keep: boolean): unknown {
  if (Array.isArray(next)) {
    const items = itemsOf(schema);
    const old: readonly unknown[] = Array.isArray(before) ? before : [];
    return next.map((item: unknown, index) => {
      // The form library writes null for an item that was cleared or is new.
      if (item === undefined || (item === null && old[index] !== null && planOf(items)?.nullable !== true)) return blankFor(items) ?? null;
      return tidy(item, old[index], items, true);
    });
  }
  if (!isJsonObject(next)) return next;
  const old = isJsonObject(before) ? before : {};
  const required = planOf(schema)?.required ?? [];
  const entries: [string, unknown][] = [];
  for (const [name, value] of Object.entries(next)) {
    if (value === undefined) continue;
    const tidied = tidy(value, old[name], propertyOf(schema, name) ?? planOf(schema)?.values ?? undefined, required.includes(name));
    if (tidied !== undefined) entries.push([name, tidied]);
  }
  if (entries.length === 0 && !keep && isJsonObject(before) && Object.keys(before).length > 0) return undefined;
  return Object.fromEntries(entries);
}

export function itemsOf(schema: RJSFSchema | undefined): RJSFSchema | undefined {
  const items = schema?.items;
  return typeof items === 'object' && !Array.isArray(items) ? items : undefined;
}

/** Whether a control can show this value as it is; if not, the field is edited as JSON. */
export function canShow(plan: FieldPlan, value: unknown): boolean {
  if (value === undefined) return true;
  if (value === null) return true;
  switch (plan.control) {
    case 'text':
    case 'multiline':
    case 'password':
    case 'date':
    case 'date-time':
      return typeof value === 'string';
    case 'number':
    case 'integer':
      return typeof value === 'number';
    case 'boolean':
      return typeof value === 'boolean';
    case 'choice':
      return plan.choices.some((choice) => sameJson(choice.value, value));
    case 'choices':
      return Array.isArray(value) && value.every((item) => plan.choices.some((choice) => sameJson(choice.value, item)));
    case 'map':
    case 'object':
      return isJsonObject(value);
    case 'array':
      return Array.isArray(value);
    case 'union':
    case 'json':
      return true;
  }
}

export function sameJson(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (Array.isArray(one))
    return Array.isArray(other) && one.length === other.length && one.every((item, index) => sameJson(item, other[index]));
  if (!isJsonObject(one) || !isJsonObject(other)) return false;
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length && names.every((name) => Object.hasOwn(other, name) && sameJson(one[name], other[name]))
  );
}
