import type { Node, ParamPattern } from 'oxc-parser';
import type { RunHints, RunPlan } from '#lib/contract/run-plan.ts';
import type { FailureCode } from '#lib/contract/failure-codes.ts';
import { isObject } from '../json-value.ts';
import { findExported } from './declarations.ts';
import type { ModuleSource } from './declarations.ts';
import { docBefore, docKeywords, NO_DOC, docParameters, parseDoc, splitType, parseDocType } from './doc-comment.ts';
import type { DocComment, DocParameter } from './doc-comment.ts';
import { findRun, annotationOf, isMarkedOptional, splitDefault } from './find-run.ts';
import type { RunFunction } from './find-run.ts';
import { HintFault } from './module-text.ts';
import type { ModuleText } from './module-text.ts';
import { createParameterReader } from './parameter-reader.ts';
import { IS_DATE, objectOf, withoutOptional } from './schema-node.ts';
import type { ObjectProperty, SchemaNode } from './schema-node.ts';
import { createTypeReader } from './type-reader.ts';

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
      /** Absolute paths of missing files. */
      readonly missing: readonly string[];
    };

export const UNSEEN_PARAMETERS =
  'The parameters of `run` are not visible in its declaration, so it gets all arguments as one object, without validation. Export a function with explicit parameters.';

/** Increment it when the same text is read differently; part of the hash of an artifact. */
export const HINTS_FORMAT = 5;

/** Reads doc comment and type hints of `run`: its parameters as JSON Schema, and how they become arguments. */
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
  const schema = rootOf(parameters.properties, parameters.rootObject, reader.definitions());
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

/** Always an object: of the parameters, or the single object parameter. */
function rootOf(
  properties: readonly ObjectProperty[],
  rootObject: SchemaNode | null,
  definitions: ReadonlyMap<string, SchemaNode>,
): SchemaNode {
  const $defs = definitions.size === 0 ? {} : { $defs: Object.fromEntries(definitions) };
  const root = rootObject ?? objectOf(properties);
  const { description: _, title: __, ...bare } = withoutOptional(root);
  return { type: 'object', ...bare, ...$defs };
}

/** A deep copy without internal marks. */
function asJson(schema: SchemaNode): RunHints['parameters'] {
  const copy: unknown = JSON.parse(JSON.stringify(schema));
  return isObject(copy) ? copy : {};
}

/** JSON Pointers of `Date` values in a schema. */
function collectDates(value: unknown, path: string, found: string[]): void {
  if (typeof value !== 'object' || value === null) return;
  if (IS_DATE in value) found.push(path);
  for (const [key, inner] of Object.entries(value))
    collectDates(inner, `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`, found);
}

/**
 * Parameters in the doc comment of `run`: its `@param` lines, and in JavaScript also the function type of its `@type`, inline
 * or in a `@callback` or `@typedef` of the same file. The `@type` gives types by position, independent of names; `@param` lines take
 * precedence.
 */
function runDocParameters(run: RunFunction, doc: DocComment): readonly DocParameter[] {
  const own = docParameters(doc);
  const written = run.module.isJavaScript ? doc.tags.find(({ name }) => name === 'type') : undefined;
  const type = written === undefined ? null : splitType(written.text).type;
  const declared = type === null ? null : parametersOfType(run.module, type);
  if (declared === null) return own;
  const ordered = declared.slice(0, run.params.length).map((one, index): DocParameter => {
    const name = nameOf(run.params[index]) ?? one.name;
    const said = own.find((param) => param.name === name);
    return {
      ...one,
      ...said,
      name,
      type: said?.type ?? one.type,
      text: said?.text || one.text,
      isOptional: said?.isOptional === true || one.isOptional,
    };
  });
  return [...ordered, ...own.filter(({ name }) => !ordered.some((one) => one.name === name))];
}

/** Null: not a function type of this file. */
function parametersOfType(module: ModuleText, type: string): readonly DocParameter[] | null {
  const parsed = parseDocType(type);
  if (parsed === null) return null;
  const { node, text } = parsed;
  if (node.type === 'TSFunctionType') return node.params.map((param, index) => ofParameter(param, index, text));
  return node.type === 'TSTypeReference' && node.typeName.type === 'Identifier' ? parametersOfName(module, node.typeName.name) : null;
}

function parametersOfName(module: ModuleText, name: string): readonly DocParameter[] | null {
  for (const { type, value, start } of module.comments) {
    if (type !== 'Block' || !/@(?:callback|typedef)\b/.test(value)) continue;
    const doc = parseDoc(value, start);
    for (const tag of doc.tags) {
      const { type: written, rest } = splitType(tag.text);
      if (/^[\w$]+/.exec(rest)?.[0] !== name) continue;
      if (tag.name === 'callback') return docParameters(doc).filter((param) => !param.name.includes('.'));
      if (tag.name === 'typedef' && written !== null) return functionOf(written);
    }
  }
  return null;
}

function functionOf(type: string): readonly DocParameter[] | null {
  const parsed = parseDocType(type);
  return parsed?.node.type === 'TSFunctionType' ? parsed.node.params.map((param, index) => ofParameter(param, index, parsed.text)) : null;
}

function ofParameter(param: ParamPattern, index: number, text: string): DocParameter {
  const { target } = splitDefault(param);
  const annotation = annotationOf(target);
  const isRest = target.type === 'RestElement';
  const shown = isRest ? (annotation?.type === 'TSArrayType' ? annotation.elementType : null) : annotation;
  return {
    name: nameOf(param) ?? `${index}`,
    type: shown === null ? null : `${isRest ? '...' : ''}${text.slice(shown.start, shown.end)}`,
    isOptional: isMarkedOptional(target),
    defaultText: null,
    text: '',
  };
}

/** Null for a destructured parameter. */
function nameOf(param: ParamPattern | undefined): string | null {
  const target: Node | null = param === undefined ? null : splitDefault(param).target;
  const named = target?.type === 'RestElement' ? target.argument : target;
  return named?.type === 'Identifier' ? named.name : null;
}
