import type { FieldPlan } from './field-plan.ts';

/** What every control gets. `undefined` is "not sent"; a control never makes up a value. */
export interface ControlProps {
  readonly plan: FieldPlan;
  readonly pointer: string;
  readonly name: string;
  readonly value: unknown;
  readonly required: boolean;
  readonly onChange: (value: unknown) => void;
}

/** A value as one short piece of text: for defaults and choices. */
export function inShort(value: unknown): string {
  const text = typeof value === 'string' ? (value === '' ? 'empty text' : value) : (JSON.stringify(value) ?? '');
  return text.length > 40 ? `${text.slice(0, 39)}…` : text;
}

/** What an empty control says in grey. */
export function emptyWords(plan: FieldPlan): string {
  if (plan.fallback !== null) return `default: ${inShort(plan.fallback.value).replaceAll(/\s+/g, ' ')}`;
  return plan.placeholder ?? '';
}
