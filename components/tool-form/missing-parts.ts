import { itemPart } from './edit-payload.ts';
import type { FormSchema } from './field-plan.ts';
import { partForName, planAt } from './form-plan.ts';
import type { Issue } from './issues.ts';
import { isJsonObject } from './json-text.ts';
import { isFixed } from './payload.ts';
import { REQUIRED } from './plain-words.ts';
import { partsOf, pointerOf, valueAt } from './pointer.ts';
import { matchOption } from './union-option.ts';

/** How far a required object that requires an object, and so on, is followed. */
const DEEPEST = 6;

/**
 * A required object that is not there misses what it requires itself, and a person can only fill in that: it is said there.
 * An object that requires nothing is said to be missing as it is.
 */
export function atMissingParts(issues: readonly Issue[], form: FormSchema, payload: unknown): readonly Issue[] {
  return issues.flatMap((issue) => {
    if (issue.message !== REQUIRED || valueAt(payload, issue.path) !== undefined) return [issue];
    const part = partAt(form, payload, partsOf(issue.path));
    const paths = part === null ? [] : requiredWithin(part, issue.path, 0);
    return paths.length === 0 ? [issue] : paths.map((path) => ({ path, message: REQUIRED }));
  });
}

/** The kind of value that belongs to a place, as the form shows it; null where it has no fields. */
function partAt(form: FormSchema, value: unknown, [first, ...rest]: readonly string[]): FormSchema | null {
  if (first === undefined) return form;
  const plan = planAt(form, value);
  if (plan.control === 'union') {
    const option = plan.options[matchOption(plan.options, value, null)];
    return option === undefined ? null : partAt(option.part, value, [first, ...rest]);
  }
  const isList = Array.isArray(value);
  const part = isList
    ? itemPart(plan, Number(first))
    : (plan.fields.find(({ name }) => name === first)?.part ?? partForName(plan.further, first));
  const inner: unknown = (isList || isJsonObject(value)) && Object.hasOwn(value, first) ? Reflect.get(value, first) : undefined;
  return part === null ? null : partAt(part, inner, rest);
}

function requiredWithin(part: FormSchema, path: string, depth: number): readonly string[] {
  const plan = planAt(part, undefined);
  if (plan.control !== 'object' || plan.nullable || depth > DEEPEST) return [];
  return plan.fields
    .filter((field) => plan.required.includes(field.name) && !isFixed(planAt(field.part, undefined)))
    .flatMap((field) => {
      const inner = path + pointerOf([field.name]);
      const deeper = requiredWithin(field.part, inner, depth + 1);
      return deeper.length === 0 ? [inner] : deeper;
    });
}
