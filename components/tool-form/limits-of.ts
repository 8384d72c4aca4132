import type { ControlProps } from './controls.ts';
import { inShort } from './controls.ts';
import type { FieldPlan } from './field-plan.ts';
import { isJsonObject } from './json-text.ts';

const LONGEST = 160;

/** What a field says below itself of the values it takes: their limits, and the default where the control does not show it. */
export function limitsOf({ plan, value, pointer }: Pick<ControlProps, 'plan' | 'value' | 'pointer'>): string | null {
  const parts = [plan.limits, pointer === '' ? null : defaultInWords(plan, value)].filter((part) => part !== null);
  return parts.length === 0 ? null : parts.join(', ');
}

function defaultInWords(plan: FieldPlan, value: unknown): string | null {
  if (plan.fallback === null || plan.control === 'choice' || plan.control === 'boolean') return null;
  if (value === undefined && hasPlaceholder(plan) && !inShort(plan.fallback.value).endsWith('…')) return null;
  const text = JSON.stringify(plan.fallback.value) ?? 'null';
  const words = `default: ${text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text}`;
  return restOfDefault(plan, value) === null ? words : `${words}, which counts only while nothing is filled in here`;
}

/** These show a default in grey while they are empty. */
function hasPlaceholder(plan: FieldPlan): boolean {
  return ['text', 'multiline', 'password', 'bytes', 'date', 'time', 'date-time', 'number', 'integer', 'json'].includes(plan.control);
}

/** A value of an object with what it lacks of the default, which a tool gets whole or not at all; null where it lacks nothing. */
export function restOfDefault(plan: FieldPlan, value: unknown): Readonly<Record<string, unknown>> | null {
  const whole = plan.fallback?.value;
  if (!isJsonObject(whole) || !isJsonObject(value)) return null;
  return Object.keys(whole).every((name) => Object.hasOwn(value, name)) ? null : { ...whole, ...value };
}
