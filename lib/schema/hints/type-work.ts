import type { TSType } from 'oxc-parser';
import type { ConstantReader } from './constant-values.ts';
import type { ModuleSource } from './declarations.ts';
import type { HintFault } from './hint-fault.ts';
import type { ModuleText } from './module-text.ts';
import type { SchemaNode } from './schema-node.ts';

/** Where a type is read. */
export interface TypeScope {
  readonly module: ModuleText;
  /** What the places of nodes refer to: the source of the module, or the type text of a doc comment. */
  readonly text: string;
  /** Where a fault is shown when the type stands in a doc comment; null: where the node is. */
  readonly fixedOffset: number | null;
  /** Type parameters by name. */
  readonly parameters: ReadonlyMap<string, SchemaNode>;
  /** The parameter of `run` that is read, for messages. */
  readonly subject: string;
}

export interface Span {
  readonly start: number;
  readonly end: number;
}

/** What the parts of the type reader need of each other. */
export interface TypeWork {
  readonly source: ModuleSource;
  readonly constants: ConstantReader;
  read(node: TSType, scope: TypeScope): Promise<SchemaNode>;
  readAll(nodes: readonly TSType[], scope: TypeScope): Promise<readonly SchemaNode[]>;
  /** The schema that a reference leads to; any other schema as it is. */
  resolve(schema: SchemaNode, node: Span, scope: TypeScope): SchemaNode;
  /** `why` follows the text of the type in a sentence. */
  fault(node: Span, scope: TypeScope, why: string, hint?: string): HintFault;
}

export const JSON_HINT = 'Use a type that JSON can carry: text, numbers, true or false, lists, objects, or `unknown` for any JSON.';

export const UNKNOWN_NAME_HINT =
  'Check the spelling. Declare it in this file, or export it from a relative file and import it from there; types of packages are not read.';
