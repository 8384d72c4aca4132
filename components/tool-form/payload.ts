import type { FieldPlan, FormSchema } from './field-plan.ts';
import { planAt } from './form-plan.ts';
import { isJsonObject } from './json-text.ts';
import { sameJson } from './same-json.ts';

export type Payload = Readonly<Record<string, unknown>>;

/** A required object that requires an object, and so on: how far an untouched form goes into a schema that contains itself. */
const DEEPEST_BLANK = 6;

/** The payload of an untouched form: only objects that must be sent, and in them the values that cannot be anything else. */
export function startPayload(form: FormSchema): Payload {
  const plan = planAt(form, {});
  const start = plan.control === 'object' ? blankFor(form) : {};
  return isJsonObject(start) ? start : {};
}

/** What a new item of a list, a new value of a map or a chosen form of a union begins with. Undefined: nothing yet. */
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
      return first === undefined || depth > DEEPEST_BLANK ? undefined : blankFor(first.part, depth + 1);
    }
    default:
      return undefined;
  }
}

function blankOfRequired(part: FormSchema, depth: number): unknown {
  const plan = planAt(part, undefined);
  if (plan.control === 'object') return depth > DEEPEST_BLANK || plan.nullable ? undefined : blankFor(part, depth);
  return plan.control === 'choice' && isFixed(plan) ? plan.choices[0]?.value : undefined;
}

/** Whether only one value is accepted. */
export function isFixed(plan: FieldPlan): boolean {
  return plan.control === 'choice' && plan.choices.length === 1 && !plan.nullable;
}

/** Items of one list, or names of one map, that are fields: with thousands of them the page would stand still. */
export const FIELDS_MOST = 200;

/** Whether a control can show this value as it is; if not, the field is edited as JSON. */
export function canShow(plan: FieldPlan, value: unknown): boolean {
  return isOfKind(plan, value) && !(typeof value === 'string' && isChanged(plan, value));
}

/** Whether a field would change a text by showing it: one of several lines makes plain line breaks of others, one of a line has none. */
function isChanged({ control }: FieldPlan, text: string): boolean {
  if (control === 'text' || control === 'multiline') return text.includes('\r');
  return (control === 'bytes' || control === 'date' || control === 'time' || control === 'date-time') && /[\r\n]/.test(text);
}

/** Whether a value is one of those that a control is for. */
export function isOfKind(plan: FieldPlan, value: unknown): boolean {
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
      return Array.isArray(value) && value.length <= FIELDS_MOST;
    case 'object':
      return isJsonObject(value);
    case 'union':
    case 'json':
      return true;
  }
}
