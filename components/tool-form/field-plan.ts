import type { RJSFSchema } from '@rjsf/utils';

/** The form's own schema of a tool's arguments, or of a part of them. */
export type FormSchema = RJSFSchema;

/** How a part of the arguments is edited. `json` is for what a form cannot show faithfully. */
export type Control =
  | 'text'
  | 'multiline'
  | 'password'
  | 'date'
  | 'date-time'
  | 'number'
  | 'integer'
  | 'boolean'
  | 'choice'
  | 'choices'
  | 'union'
  | 'map'
  | 'object'
  | 'array'
  | 'json';

/** One value of a closed list. */
export interface Choice {
  readonly value: unknown;
  readonly label: string;
}

/** One form of a value that may have several. */
export interface UnionOption {
  readonly title: string;
  readonly schema: RJSFSchema;
}

/** What the form knows of one part of the schema; the schema's own words, nothing made up. */
export interface FieldPlan {
  readonly control: Control;
  readonly title: string | null;
  readonly description: string | null;
  readonly deprecated: boolean;
  readonly nullable: boolean;
  /** Present when the schema names a default; it is shown, never sent. */
  readonly fallback: { readonly value: unknown } | null;
  /** Empty text is a value of its own here. */
  readonly emptyText: boolean;
  /** "1 to 14", "at most 200 characters"; null when nothing limits it. */
  readonly limits: string | null;
  readonly placeholder: string | null;
  readonly keyboard: 'text' | 'email' | 'url' | 'decimal' | 'numeric';
  readonly step: number | null;
  readonly choices: readonly Choice[];
  readonly options: readonly UnionOption[];
  /** Schema of the values of a map, or of what an object takes beside its named properties. */
  readonly values: RJSFSchema | null;
  /** Names of an object that must be sent. */
  readonly required: readonly string[];
  /** Why it is edited as JSON. */
  readonly why: string | null;
}

const KEY = 'x-form';

/** The plan that planForm has put on a part of the form's schema. */
export function planOf(schema: RJSFSchema | undefined): FieldPlan | null {
  const plan: unknown = schema?.[KEY];
  return isFieldPlan(plan) ? plan : null;
}

export function withPlan(schema: RJSFSchema, plan: FieldPlan): RJSFSchema {
  return { ...schema, [KEY]: plan };
}

function isFieldPlan(value: unknown): value is FieldPlan {
  return typeof value === 'object' && value !== null && 'control' in value;
}
