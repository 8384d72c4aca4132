import type { Path } from './edit-payload.ts';
import type { Choice, FieldPlan, FormSchema } from './field-plan.ts';
import { sameJson } from './same-json.ts';

/** What every control gets. `undefined` is "not sent"; a control never makes up a value. */
export interface ControlProps {
  readonly plan: FieldPlan;
  readonly pointer: string;
  readonly path: Path;
  readonly name: string;
  readonly value: unknown;
  readonly required: boolean;
  /** It stands in a list or under a name of the person's choice: there has to be some value. */
  readonly stays: boolean;
  /** A name in it whose fixed value is said around it already. */
  readonly mark: string | null;
  readonly onChange: (value: unknown) => void;
}

/** One place of the arguments as a field. */
export interface FieldProps {
  readonly part: FormSchema;
  readonly path: Path;
  readonly value: unknown;
  readonly required: boolean;
  /** Without its own label and words: the value of a name, an item, the chosen form of a value. */
  readonly bare?: boolean;
  /** The field around it has the same place, and says what is wrong there. */
  readonly shared?: boolean;
  readonly stays?: boolean;
  readonly mark?: string | null;
  /** Why it is asked for, where that may change with what else is filled in. */
  readonly because?: string | null;
  /** What it is called where it has no title. */
  readonly called?: string;
}

/** A value as one short piece of text: for defaults and choices. */
export function inShort(value: unknown): string {
  const text = typeof value === 'string' ? (value === '' ? 'empty text' : value) : (JSON.stringify(value) ?? '');
  return text.length > 40 ? `${text.slice(0, 39)}…` : text;
}

/** A value as the list of choices calls it. */
export function labelAmong(choices: readonly Choice[], value: unknown): string {
  return choices.find((choice) => sameJson(choice.value, value))?.label ?? inShort(value);
}

/** What an empty control says in grey. */
export function emptyWords(plan: FieldPlan): string {
  if (plan.fallback !== null) return `default: ${inShort(plan.fallback.value).replaceAll(/\s+/g, ' ')}`;
  return plan.placeholder ?? '';
}
