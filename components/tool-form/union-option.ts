import type { RJSFSchema } from '@rjsf/utils';
import { planOf } from './field-plan.ts';
import type { UnionOption } from './field-plan.ts';
import { isJsonObject } from './json-text.ts';
import { blankFor, canShow, itemsOf, propertyOf } from './payload.ts';

/** The form of a union that a value comes closest to: `preferred` when it fits as well as any. -1 when none fits. */
export function matchOption(options: readonly UnionOption[], value: unknown, preferred: number): number {
  if (value === undefined) return preferred;
  let best = -1;
  let most = 0;
  for (const [index, option] of options.entries()) {
    const score = fit(option.schema, value);
    if (score > most || (score === most && score > 0 && index === preferred)) {
      best = index;
      most = score;
    }
  }
  return best;
}

/** 0: does not fit; the more of the value the schema knows, the higher. */
function fit(schema: RJSFSchema | undefined, value: unknown): number {
  const plan = planOf(schema);
  if (plan === null) return 0;
  if (plan.control === 'json') return 1;
  if (value === null) return plan.nullable || plan.choices.some((choice) => choice.value === null) ? 2 : 0;
  if (plan.control === 'union') return Math.max(0, ...plan.options.map((option) => fit(option.schema, value)));
  if (!canShow(plan, value)) return 0;
  if (plan.control === 'integer' && !Number.isInteger(value)) return 0;
  if (Array.isArray(value)) return value.length === 0 ? 2 : 2 + fit(itemsOf(schema), value[0]);
  if (!isJsonObject(value)) return plan.control === 'choice' ? 4 : 2;
  return fitObject(schema, value);
}

function fitObject(schema: RJSFSchema | undefined, value: Readonly<Record<string, unknown>>): number {
  const plan = planOf(schema);
  let score = 2;
  for (const [name, member] of Object.entries(value)) {
    const property = propertyOf(schema, name);
    if (property === undefined) continue;
    const known = fit(property, member);
    // A fixed value that differs ("kind": "circle" against "square") rules the form out.
    if (known === 0 && planOf(property)?.control === 'choice') return 0;
    score += known === 0 ? 0.5 : 1 + known;
  }
  for (const name of plan?.required ?? []) if (!Object.hasOwn(value, name)) score -= 0.25;
  return Math.max(score, 0.1);
}

/** The value after another form was chosen: what both forms know by name stays, the rest starts anew. */
export function valueForOption(option: UnionOption, value: unknown): unknown {
  const blank = blankFor(option.schema);
  if (!isJsonObject(blank) || !isJsonObject(value)) return fit(option.schema, value) > 0 && value !== undefined ? value : blank;
  const kept = Object.entries(value).filter(([name, member]) => {
    const property = propertyOf(option.schema, name);
    return property !== undefined && !Object.hasOwn(blank, name) && fit(property, member) > 0;
  });
  return { ...blank, ...Object.fromEntries(kept) };
}
