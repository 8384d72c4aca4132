import type { FormSchema } from './field-plan.ts';
import { itemPart } from './edit-payload.ts';
import { partForName, planAt } from './form-plan.ts';
import { isJsonObject } from './json-text.ts';
import { matchOption } from './union-option.ts';

const MASK = '••••••';
const DEEPEST = 64;

/** A payload without the values of its masked fields. */
export function withoutSecrets(value: unknown, form: FormSchema): unknown {
  return replaced(value, form, () => undefined, 0);
}

/** A payload whose masked values are not legible, for showing it. */
export function maskSecrets(value: unknown, form: FormSchema, mask = MASK): unknown {
  return replaced(value, form, (secret) => (secret === null ? null : mask), 0);
}

/** Whether a schema speaks of secrets anywhere; then a text that cannot be read yet is kept nowhere. */
export function hasSecrets({ root }: FormSchema): boolean {
  return /"(?:writeOnly":\s*true|format":\s*"password")/.test(JSON.stringify(root));
}

function replaced(value: unknown, part: FormSchema | null, by: (secret: unknown) => unknown, depth: number): unknown {
  if (part === null || depth > DEEPEST) return value;
  const plan = planAt(part, value);
  if (plan.secret) return by(value);
  if (plan.control === 'union') {
    // Whatever form the value has: what any of them calls a secret is one.
    if (plan.options.some((option) => planAt(option.part, value).secret)) return by(value);
    return replaced(value, plan.options[matchOption(plan.options, value, null)]?.part ?? null, by, depth + 1);
  }
  if (Array.isArray(value))
    return value.map((item: unknown, place) => replaced(item, itemPart(plan, place), by, depth + 1)).filter((item) => item !== undefined);
  if (!isJsonObject(value)) return value;
  const fields = new Map(plan.fields.map((field) => [field.name, field.part]));
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) => {
      const kept = replaced(member, fields.get(name) ?? partForName(plan.further, name), by, depth + 1);
      return kept === undefined ? [] : [[name, kept]];
    }),
  );
}
