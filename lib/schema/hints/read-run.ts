import type { Node, ParamPattern, Expression } from 'oxc-parser';
import type { RunHints, RunPlan, RunArgument } from '#lib/contract/run-plan.ts';
import type { FailureCode } from '#lib/contract/failure-codes.ts';
import { isObject } from '../json-value.ts';
import { findExported, findDeclaration } from './declarations.ts';
import type { ModuleSource } from './declarations.ts';
import { docBefore, docKeywords, NO_DOC, docParameters, parseDoc, splitType, parseDocType } from './doc-comment.ts';
import type { DocComment, DocParameter } from './doc-comment.ts';
import { findRun, annotationOf, isMarkedOptional, splitDefault, isContextType, writtenParameters } from './find-run.ts';
import type { RunFunction, TypeHint, WrittenParameter } from './find-run.ts';
import { HintFault } from './module-text.ts';
import type { ModuleText } from './module-text.ts';
import { IS_DATE, objectOf, withoutOptional, ANY, isAny, IS_OPTIONAL, literals, propertiesOf } from './schema-node.ts';
import type { ObjectProperty, SchemaNode } from './schema-node.ts';
import { createTypeReader } from './type-reader.ts';
import { keyName } from '../syntax-nodes.ts';
import { isReassigned } from './constant-values.ts';
import { defaultOf, withDescriptions, withDocProperties } from './doc-properties.ts';
import { withTypeParameters } from './named-types.ts';
import type { TypeReader } from './type-reader.ts';
import type { TypeScope } from './type-work.ts';
import { builtInType } from './utility-types.ts';

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
export const HINTS_FORMAT = 7;

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
  const parameters = await createParameterReader(reader, run, runDocParameters(run, doc), doc).readAll();
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

/** Parameters of `run`. */
interface RunParameters {
  readonly properties: readonly ObjectProperty[];
  /** Schema of a single destructured object. */
  readonly rootObject: SchemaNode | null;
  readonly arguments: readonly RunArgument[];
  readonly warnings: readonly string[];
}

/** Replaces an absent value. */
interface Otherwise {
  readonly otherwise: Expression | null;
  readonly isOptional: boolean;
  /** Module of the default, if another. */
  readonly from?: ModuleText;
}

const NOTHING: Otherwise = { otherwise: null, isOptional: false };

type Pattern = Extract<Node, { type: 'ObjectPattern' }>;

const DEFAULT_STEPS_MOST = 10;
const LIKE_ALL = /^(?:args?|arguments|params?|parameters|input|options|opts|props)$/i;
const LIKE_CONTEXT = /^(?:ctx|context)$/i;

/** @param comment doc comment of `run` */
function createParameterReader(reader: TypeReader, run: RunFunction, docs: readonly DocParameter[], comment: DocComment) {
  const { module } = run;
  const { isJavaScript } = module;
  const warnings: string[] = [];
  /** `@template T` in JavaScript: any JSON. */
  const templates = new Map(
    comment.tags
      .filter(({ name }) => name === 'template')
      .flatMap(
        ({ text }) =>
          splitType(text)
            .rest.match(/^\[?[\w$]+(?:\s*,\s*[\w$]+)*/)?.[0]
            .match(/[\w$]+/g) ?? [],
      )
      .map((name) => [name, ANY] as const),
  );

  async function readAll(): Promise<RunParameters> {
    const written = writtenParameters(run);
    const last = written.at(-1);
    const hasContext = last !== undefined && (await isContext(last));
    const own = hasContext ? written.slice(0, -1) : written;
    const properties: ObjectProperty[] = [];
    const args: RunArgument[] = [];
    let rootObject: SchemaNode | null = null;
    for (const [index, one] of own.entries()) {
      if (one.target.type === 'ObjectPattern') {
        const object = await readPattern(one, one.target, docs.filter(({ name }) => !name.includes('.'))[index] ?? null);
        if (own.length === 1) rootObject = object;
        properties.push(...propertiesOf(object));
        args.push({ from: 'object', names: own.length === 1 ? null : propertiesOf(object).map(({ name }) => name) });
      } else {
        const { property, argument } = await readSingle(one);
        properties.push(property);
        args.push(argument);
      }
    }
    const [lone] = properties;
    if (rootObject === null && own.length === 1 && lone?.schema.type === 'object' && LIKE_ALL.test(lone.name)) adviseToDestructure(lone);
    if (hasContext) args.push({ from: 'context' });
    return { properties, rootObject, arguments: args, warnings };
  }

  function adviseToDestructure({ name, schema }: ObjectProperty): void {
    const names = Object.keys(schema.properties ?? {});
    const braces = names.length === 0 ? '{ … }' : `{ ${names.slice(0, 3).join(', ')}${names.length > 3 ? ', …' : ''} }`;
    warnings.push(
      `\`run\` takes one object called "${name}", so a call must pass {"${name}": {…}}. Write \`run(${braces}: …)\` to make its properties the parameters.`,
    );
  }

  async function isContext({ target, hint }: WrittenParameter): Promise<boolean> {
    if (hint !== null) return isContextType(reader.source, hint);
    const type = isJavaScript && target.type === 'Identifier' ? docFor(target.name)?.type : null;
    const parsed = type == null ? null : parseDocType(type);
    return parsed !== null && isContextType(reader.source, { type: parsed.node, module });
  }

  async function readSingle(one: WrittenParameter): Promise<{ readonly property: ObjectProperty; readonly argument: RunArgument }> {
    const isRest = one.target.type === 'RestElement';
    const target = one.target.type === 'RestElement' ? one.target.argument : one.target;
    if (target.type !== 'Identifier') throw unnamed(target);
    const { name } = target;
    const property = await readNamed(name, one, docFor(name), isRest);
    return isRest
      ? { property: { ...property, isRequired: hasMembers(property.schema) }, argument: { from: 'rest', name } }
      : { property, argument: { from: 'parameter', name } };
  }

  /** A list that may not be empty. */
  function hasMembers(list: SchemaNode): boolean {
    const { anyOf, minItems } = list.$ref === undefined ? list : (reader.definitions().get(list.$ref.slice('#/$defs/'.length)) ?? ANY);
    return anyOf === undefined ? Number(minItems ?? 0) > 0 : anyOf.every(hasMembers);
  }

  async function readNamed(
    name: string,
    one: Otherwise & { readonly hint: TypeHint | null },
    doc: DocParameter | null,
    isRest = false,
  ): Promise<ObjectProperty> {
    const schema = (await readHint(one.hint, name, doc, isRest)) ?? (await readDefaultType(one, name)) ?? withoutHint(name, isRest);
    return complete(name, schema, one, doc);
  }

  /** The type in the code, or in JavaScript in the doc comment. */
  async function readHint(hint: TypeHint | null, subject: string, doc: DocParameter | null, isRest: boolean): Promise<SchemaNode | null> {
    if (hint !== null) return reader.read(hint.type, await scopeOf(hint, subject));
    const schema = doc === null ? null : await readDocType(doc, subject, isRest);
    if (doc === null || schema === null) return null;
    return withDocProperties(schema, doc.name, docs, (line) => readDocType(line, line.name, false));
  }

  async function readDocType(doc: DocParameter, subject: string, isRest: boolean): Promise<SchemaNode | null> {
    if (!isJavaScript || doc.type === null) return null;
    const parsed = parseDocType(isRest && !doc.type.startsWith('...') ? `...${doc.type}` : doc.type);
    const offset = Math.max(comment.offset, module.source.indexOf(`{${doc.type}`, comment.offset));
    const scope: TypeScope = { module, text: parsed?.text ?? doc.type, fixedOffset: offset, parameters: templates, subject };
    if (parsed === null)
      throw reader.fault(
        { start: 0, end: doc.type.length },
        scope,
        'cannot be read',
        'Write it as in TypeScript: `{string}`, `{number[]}`, `{{ city: string }}`.',
      );
    return reader.read(parsed.node, scope);
  }

  async function scopeOf(hint: Pick<TypeHint, 'module' | 'generics'>, subject: string): Promise<TypeScope> {
    const scopeIn = (from: ModuleText): TypeScope => ({
      module: from,
      text: from.source,
      fixedOffset: null,
      parameters: new Map(),
      subject,
    });
    if (hint.generics === undefined)
      return hint.module === module ? withTypeParameters(reader, run.typeParameters, [], scopeIn(module)) : scopeIn(hint.module);
    let scope = scopeIn(module);
    for (const { declared, module: from, given } of hint.generics)
      scope = await withTypeParameters(reader, declared, await reader.readAll(given ?? [], scope), given === null ? scope : scopeIn(from));
    return scope;
  }

  async function readDefaultType({ otherwise, from = module }: Otherwise, subject: string): Promise<SchemaNode | null> {
    if (otherwise?.type === 'NewExpression' && otherwise.callee.type === 'Identifier')
      return otherwise.callee.name === 'Date' ? (builtInType('Date')?.([], (schema) => schema) ?? null) : null;
    if (otherwise?.type === 'MemberExpression' && otherwise.object.type === 'Identifier') {
      const found = await findDeclaration(reader.source, from, otherwise.object.name);
      const members = found?.kind === 'enum' ? await reader.constants.enumMembers(found.node, found.module) : null;
      if (members !== null) return literals([...members.values()]);
    }
    const schema = otherwise === null ? null : await reader.readValue(otherwise, await scopeOf({ module: from }, subject), false);
    return schema?.type === 'null' ? null : schema;
  }

  function withoutHint(name: string, isRest: boolean): SchemaNode {
    const right = isJavaScript
      ? `write \`@param {string} ${name}\` (or what it is) in the doc comment of \`run\``
      : `write \`${name}: string\` (or what it is)`;
    const context = LIKE_CONTEXT.test(name)
      ? ` For the context of the call, ${isJavaScript ? "write `@param {import('switchboard').ToolContext}`" : 'type it `ToolContext`'}.`
      : '';
    warnings.push(`The parameter "${name}" has no type, so it accepts any JSON; ${right}.${context}`);
    return isRest ? { type: 'array', items: ANY } : ANY;
  }

  /** Adds default, description and other keywords from signature and doc comment. */
  async function complete(
    name: string,
    schema: SchemaNode,
    { otherwise, isOptional, from = module }: Otherwise,
    doc: DocParameter | null,
  ): Promise<ObjectProperty> {
    const constant = otherwise === null ? null : await reader.constants.read(otherwise, from);
    const found =
      otherwise === null
        ? isJavaScript
          ? defaultOf(doc?.defaultText ?? null, schema)
          : {}
        : constant === null
          ? {}
          : { default: constant.value };
    return {
      name,
      schema: {
        ...withDescriptions(withoutOptional(schema), doc?.name ?? name, docs),
        ...(doc === null || doc.text === '' ? {} : { description: doc.text }),
        ...found,
      },
      isRequired:
        !isOptional && schema[IS_OPTIONAL] !== true && schema['default'] === undefined && !(isJavaScript && doc?.isOptional === true),
    };
  }

  /** `{ city, days = 3 }: Args`: properties of its type with the defaults of the pattern. */
  async function readPattern(one: WrittenParameter, pattern: Pattern, doc: DocParameter | null): Promise<SchemaNode> {
    const bound = boundNames(pattern);
    const subject = `{ ${[...bound.keys()].join(', ')} }`;
    const outer = await defaultProperties(one.otherwise, module);
    const otherwiseOf = (name: string): Otherwise => {
      const own = bound.get(name);
      return own === undefined || own.otherwise === null ? (outer.get(name) ?? NOTHING) : own;
    };
    const hint = await readHint(one.hint, subject, doc, false);
    const properties: ObjectProperty[] = [];
    if (hint === null || isAny(hint)) {
      for (const name of bound.keys()) properties.push(await readNamed(name, { ...otherwiseOf(name), hint: null }, docForPart(name)));
      return objectOf(
        properties,
        pattern.properties.some(({ type }) => type === 'RestElement'),
      );
    }
    const scope = await scopeOf(one.hint ?? { module }, subject);
    const object = reader.resolve(hint, pattern, scope);
    if (object.anyOf !== undefined) return object;
    if (object.type !== 'object') throw reader.fault(pattern, scope, 'is destructured like an object but is not one');
    for (const { name, schema, isRequired } of propertiesOf(object)) {
      const done = await complete(name, schema, otherwiseOf(name), docForPart(name));
      properties.push({ ...done, isRequired: isRequired && done.isRequired });
    }
    const { properties: _, required: __, ...rest } = object;
    return { ...rest, ...objectOf(properties, object.additionalProperties ?? false) };
  }

  /** Constants in the default of a destructured object: `{ a, b }: Args = { a: 1, b: 'x' }`. */
  async function defaultProperties(node: Expression | null, from: ModuleText, steps = 0): Promise<ReadonlyMap<string, Otherwise>> {
    const found = new Map<string, Otherwise>();
    if (node === null || steps > DEFAULT_STEPS_MOST) return found;
    if (node.type === 'TSAsExpression' || node.type === 'TSSatisfiesExpression' || node.type === 'ParenthesizedExpression')
      return defaultProperties(node.expression, from, steps + 1);
    if (node.type === 'Identifier') {
      const declared = await findDeclaration(reader.source, from, node.name);
      const isConstant = declared?.kind === 'constant' && !isReassigned(declared.statement);
      return isConstant ? defaultProperties(declared.node.init, declared.module, steps + 1) : found;
    }
    for (const property of node.type === 'ObjectExpression' ? node.properties : []) {
      // It may replace the properties before it.
      if (property.type === 'SpreadElement') found.clear();
      const name = property.type === 'Property' && !property.computed ? keyName(property.key) : null;
      if (property.type !== 'Property' || name === null) continue;
      if ((await reader.constants.read(property.value, from)) !== null)
        found.set(name, { otherwise: property.value, isOptional: true, from });
    }
    return found;
  }

  function boundNames(pattern: Pattern): ReadonlyMap<string, Otherwise> {
    const bound = new Map<string, Otherwise>();
    for (const property of pattern.properties) {
      if (property.type !== 'Property') continue;
      const name = property.computed ? null : keyName(property.key);
      if (name === null) throw unnamed(property);
      const { otherwise } = splitDefault(property.value);
      bound.set(name, { otherwise, isOptional: otherwise !== null });
    }
    return bound;
  }

  const docFor = (name: string): DocParameter | null => docs.find((one) => one.name === name) ?? null;

  /** The parameter around a destructured property has any name in the doc comment: `@param options.city`. */
  const docForPart = (name: string): DocParameter | null =>
    docFor(name) ?? docs.find((one) => one.name.endsWith(`.${name}`) && !one.name.includes('[')) ?? null;

  const unnamed = (node: Node): HintFault =>
    new HintFault(
      'type_unsupported',
      `A parameter of \`run\` has no name: \`${module.source.slice(node.start, node.end).slice(0, 80)}\`.`,
      'Give it a name and destructure it inside of `run`.',
      { module, offset: node.start },
    );

  return { readAll };
}
