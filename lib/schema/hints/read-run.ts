import type { RunHints, RunPlan } from '#lib/contract/run-plan.ts';
import { isObject } from '../json-value.ts';
import { findExported } from './declarations.ts';
import type { ModuleSource } from './declarations.ts';
import { runDocParameters } from './declared-parameters.ts';
import { docBefore, docKeywords, NO_DOC } from './doc-comment.ts';
import { findRun } from './find-run.ts';
import type { RunFunction } from './find-run.ts';
import { HintFault } from './hint-fault.ts';
import type { ModuleText } from './module-text.ts';
import { createParameterReader } from './parameter-reader.ts';
import { IS_DATE, objectOf, withoutOptional } from './schema-node.ts';
import type { ObjectProperty, SchemaNode } from './schema-node.ts';
import { createTypeReader } from './type-reader.ts';
import type { FailureCode } from '#lib/contract/failure-codes.ts';

export type RunReading =
  | { readonly ok: true; readonly plan: RunPlan }
  | {
      readonly ok: false;
      readonly failure: {
        readonly code: FailureCode;
        readonly message: string;
        readonly hint: string;
        readonly file: string;
        readonly line: number;
        readonly column: number;
      };
      /** Absolute paths that were looked for and are not there. */
      readonly missing: readonly string[];
    };

export const UNSEEN_PARAMETERS =
  'The parameters of `run` cannot be seen where it is declared, so it gets all arguments as one object, whatever they are. Export a function with its parameters written out.';

/** Goes up when the same text is read differently; part of the hash of an artifact. */
export const HINTS_FORMAT = 4;

/** Reads what the doc comment and the type hints of `run` say: the parameters as JSON Schema, and how they become its arguments. */
export async function readRun(source: ModuleSource, module: ModuleText, name: string): Promise<RunReading> {
  try {
    const run = await findRun(source, module);
    return { ok: true, plan: run === null ? await unseen(source, module, name) : await readPlan(source, run, name) };
  } catch (error) {
    if (!(error instanceof HintFault)) throw error;
    const { code, message, hint, file, line, column, missing } = error;
    return { ok: false, failure: { code, message, hint, file, line, column }, missing };
  }
}

async function unseen(source: ModuleSource, module: ModuleText, name: string): Promise<RunPlan> {
  const found = await findExported(source, module, 'run');
  const doc = found === null || !('statement' in found) ? NO_DOC : docBefore(found.module, found.statement.start);
  const { description } = docKeywords(doc);
  const hints = typeof description === 'string' ? { description, parameters: { type: 'object' }, warnings: [UNSEEN_PARAMETERS] } : null;
  return { name, hints, arguments: [{ from: 'object', names: null }, { from: 'context' }], dates: [] };
}

async function readPlan(source: ModuleSource, run: RunFunction, name: string): Promise<RunPlan> {
  const reader = createTypeReader(source);
  const doc = docBefore(run.module, run.statement.start);
  const parameters = await createParameterReader(reader, run, runDocParameters(run, doc), doc.offset).readAll();
  const schema = rootOf(parameters.properties, parameters.whole, reader.definitions());
  const dates: string[] = [];
  collectDates(schema, '', dates);
  const { description } = docKeywords(doc);
  return {
    name,
    hints: {
      description: typeof description === 'string' ? description : '',
      parameters: asJson(schema),
      warnings: parameters.warnings,
    },
    arguments: parameters.arguments,
    dates,
  };
}

/** Always an object: of the parameters, or the one object that stands for all of them. */
function rootOf(properties: readonly ObjectProperty[], whole: SchemaNode | null, definitions: ReadonlyMap<string, SchemaNode>): SchemaNode {
  const $defs = definitions.size === 0 ? {} : { $defs: Object.fromEntries(definitions) };
  const root = whole ?? objectOf(properties);
  const { description: _, title: __, ...bare } = withoutOptional(root);
  return { type: 'object', ...bare, ...$defs };
}

/** Without the marks, and nothing in common with what was read. */
function asJson(schema: SchemaNode): RunHints['parameters'] {
  const copy: unknown = JSON.parse(JSON.stringify(schema));
  return isObject(copy) ? copy : {};
}

/** Where in a schema a `Date` is meant, as JSON Pointers. */
function collectDates(value: unknown, path: string, found: string[]): void {
  if (typeof value !== 'object' || value === null) return;
  if (IS_DATE in value) found.push(path);
  for (const [key, inner] of Object.entries(value))
    collectDates(inner, `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`, found);
}
