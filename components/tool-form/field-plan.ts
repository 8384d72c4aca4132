import type { SchemaNode } from './schema-node.ts';

/** A place in a tool's schema: the schema as it stands there, and the whole that its references lead into. */
export interface FormSchema {
  readonly root: SchemaNode;
  readonly schema: unknown;
}

/** How a part of the arguments is edited. `json` is for what a form cannot show faithfully. */
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

/** One value of a closed list. */
export interface Choice {
  readonly value: unknown;
  readonly label: string;
  /** What it means, where the schema says so of this one value. */
  readonly description?: string | null;
}

/** One form of a value that may have several. */
export interface UnionOption {
  readonly title: string;
  readonly part: FormSchema;
  /** The name whose fixed value the title is; null where the title says something else. */
  readonly mark: string | null;
}

/** One property of an object that has a field of its own. */
export interface NamedPart {
  readonly name: string;
  readonly part: FormSchema;
  /** Present where it is asked for only as long as other names are not sent. */
  readonly awaits?: Awaits;
}

/** What would decide whether a name is asked for. */
export interface Awaits {
  readonly names: readonly string[];
  /** The name itself goes without them, or that it is required. */
  readonly what: 'field' | 'required';
}

/** What an object takes beside its named properties. */
export interface FurtherNames {
  readonly patterns: readonly { readonly pattern: string; readonly part: FormSchema }[];
  /** For names that fit no pattern; null when these are refused. */
  readonly others: FormSchema | null;
}

/** What the form knows of one part of the schema while a value stands there; the schema's own words, nothing made up. */
export interface FieldPlan {
  readonly control: Control;
  readonly title: string | null;
  readonly description: string | null;
  readonly deprecated: boolean;
  readonly nullable: boolean;
  /** The tool sets it; what is sent is of no use. */
  readonly readOnly: boolean;
  /** Masked, and never kept. */
  readonly secret: boolean;
  /** Present when the schema names a default; it is shown, never sent. */
  readonly fallback: { readonly value: unknown } | null;
  readonly examples: readonly unknown[];
  /** Empty text is a value of its own here. */
  readonly emptyText: boolean;
  /** "1 to 14", "at most 200 characters"; null when nothing limits it. */
  readonly limits: string | null;
  readonly placeholder: string | null;
  readonly keyboard: 'text' | 'email' | 'url' | 'decimal' | 'numeric';
  readonly step: number | null;
  readonly choices: readonly Choice[];
  readonly options: readonly UnionOption[];
  readonly fields: readonly NamedPart[];
  /** Names of an object that must be sent. */
  readonly required: readonly string[];
  readonly further: FurtherNames | null;
  /** Kind of the items of a list, or of those after the places of a tuple; null when none are accepted. */
  readonly items: FormSchema | null;
  readonly places: readonly FormSchema[];
  readonly least: number;
  readonly most: number | null;
  /** Why it is edited as JSON. */
  readonly why: string | null;
  /** The schema that applies here; the same object wherever the same part of the schema applies. */
  readonly node: SchemaNode;
}
