import type { SchemaNode } from './schema-node.ts';

/** A part of the schema: its subschema, and the root for references. */
export interface FormSchema {
  readonly root: SchemaNode;
  readonly schema: unknown;
}

/** How a value is edited. `json` is for values that a form cannot show faithfully. */
export type Control =
  | 'text'
  | 'multiline'
  | 'password'
  | 'bytes'
  | 'date'
  | 'time'
  | 'date-time'
  | 'number'
  | 'integer'
  | 'boolean'
  | 'choice'
  | 'choices'
  | 'union'
  | 'object'
  | 'array'
  | 'tuple'
  | 'json';

export interface Choice {
  readonly value: unknown;
  readonly label: string;
  readonly description?: string | null;
}

export interface UnionOption {
  readonly title: string;
  readonly part: FormSchema;
  /** The discriminator property whose constant is the title; null if the title is another. */
  readonly discriminator: string | null;
}

export interface NamedPart {
  readonly name: string;
  readonly part: FormSchema;
  /** Present if it applies only while other names are missing. */
  readonly absenceCondition?: AbsenceCondition;
}

export interface AbsenceCondition {
  readonly names: readonly string[];
  /** Whether the field itself or its being required depends on them. */
  readonly what: 'field' | 'required';
}

export interface AdditionalNames {
  readonly patterns: readonly { readonly pattern: string; readonly part: FormSchema }[];
  /** For names that match no pattern; null if not allowed. */
  readonly others: FormSchema | null;
}

export interface FieldPlan {
  readonly control: Control;
  readonly title: string | null;
  readonly description: string | null;
  readonly deprecated: boolean;
  readonly nullable: boolean;
  readonly readOnly: boolean;
  /** Masked, never stored. */
  readonly secret: boolean;
  readonly defaultValue: { readonly value: unknown } | null;
  readonly examples: readonly unknown[];
  /** Empty text is a distinct value. */
  readonly emptyText: boolean;
  /** "1 to 14", "at most 200 characters"; null for none. */
  readonly limits: string | null;
  readonly placeholder: string | null;
  readonly keyboard: 'text' | 'email' | 'url' | 'decimal' | 'numeric';
  readonly step: number | null;
  readonly choices: readonly Choice[];
  readonly options: readonly UnionOption[];
  readonly fields: readonly NamedPart[];
  readonly required: readonly string[];
  readonly additional: AdditionalNames | null;
  /** Schema of the items, or of those after a tuple; null if none are allowed. */
  readonly items: FormSchema | null;
  readonly tupleItems: readonly FormSchema[];
  readonly min: number;
  readonly max: number | null;
  readonly jsonReason: string | null;
  /** Referentially stable for the same subschema. */
  readonly node: SchemaNode;
}
