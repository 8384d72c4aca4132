import type { TSType } from 'oxc-parser';
import type { ConstantReader } from './constant-values.ts';
import type { ModuleSource } from './declarations.ts';
import type { HintFault, ModuleText } from './module-text.ts';
import type { SchemaNode } from './schema-node.ts';

/** Scope of a type. */
export interface TypeScope {
  readonly module: ModuleText;
  /** Source that node offsets refer to: the module, or the type in a doc comment. */
  readonly text: string;
  /** Location of faults for a type in a doc comment; null: the node. */
  readonly fixedOffset: number | null;
  /** Type parameters by name. */
  readonly parameters: ReadonlyMap<string, SchemaNode>;
  /** The current parameter of `run`, for messages. */
  readonly subject: string;
}

export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Shared functions of the type reader. */
export interface TypeWork {
  readonly source: ModuleSource;
  readonly constants: ConstantReader;
  read(node: TSType, scope: TypeScope): Promise<SchemaNode>;
  readAll(nodes: readonly TSType[], scope: TypeScope): Promise<readonly SchemaNode[]>;
  /** The target of a reference; other schemas unchanged. */
  resolve(schema: SchemaNode, node: Span, scope: TypeScope): SchemaNode;
  /** `why` follows the text of the type in a sentence. */
  fault(node: Span, scope: TypeScope, why: string, hint?: string): HintFault;
}

export const JSON_HINT = 'Use a type that JSON supports: text, numbers, true or false, lists, objects, or `unknown` for any JSON.';

export const CONDITION = 'depends on a condition that only a compiler can decide';

export const UNKNOWN_NAME_HINT =
  'Check the spelling. Declare it in this file, or export it from a relative file and import it from there; types of packages are not read.';
