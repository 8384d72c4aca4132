import { Ajv, type ErrorObject, MissingRefError, type Options, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { withoutBigints } from '#lib/contract/big-integers.ts';
import { MULTIPLE_OF } from '#lib/contract/multiple-of.ts';
import { underTheirUnions } from '#lib/contract/union-errors.ts';
import { type MetaValidator, metaValidators } from './meta-validators.ts';
import type { DataValidationCxt } from 'ajv/dist/types/index.js';

/**
 * Compiles the schemas of tools. They are untrusted: this happens in the extension's own process, where a bomb affects only itself.
 * Nothing is ever fetched, and each schema has its own `$id` scope (two tools may use the same).
 */
export type CompileOutcome =
  | { readonly ok: true; readonly validate: Validate }
  /** `path`: JSON Pointer into the schema. */
  | { readonly ok: false; readonly path: string; readonly message: string };

/**
 * The errors of a value, which also gets its defaults if the compiler fills them in. All errors of a large value would fill the
 * process's memory, so `onlyFirst` stops early. The `schemaPath` of an error in a union's branch begins with that of its union.
 */
export type Validate = (value: unknown, onlyFirst: boolean) => readonly ErrorObject[];

const OPTIONS = {
  strict: false,
  allErrors: true,
  // A property called `toString` counts only if it was sent.
  ownProperties: true,
  addUsedSchema: false,
  validateSchema: false,
  meta: false,
  logger: false,
  verbose: true,
  code: { regExp: createPattern },
} as const satisfies Options;

const DRAFT_07 = /^https?:\/\/json-schema\.org\/draft-07\/schema#?$/;
const DRAFT_2020 = /^https:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/;

export interface SchemaCompiler {
  compile(schema: unknown): CompileOutcome;
}

interface Dialect {
  readonly isSchema: MetaValidator;
  readonly compile: (schema: object) => Validate;
}

export interface SchemaCompilerOptions {
  /**
   * Whether values get the defaults of their schema. If not, they stay unchanged, but names with a default are still not required.
   */
  readonly fillsDefaults?: boolean;
  /**
   * `bigints` for a language with integers of any size: integers that JavaScript writes with an exponent, and defaults beyond
   * doubles, become bigints in the validated value.
   */
  readonly integers?: 'doubles' | 'bigints';
}

/** Creating one is cheap; each dialect's compiler is created with its first schema. */
export function createSchemaCompiler({ fillsDefaults = true, integers = 'doubles' }: SchemaCompilerOptions = {}): SchemaCompiler {
  let draft07: Dialect | null = null;
  let draft2020: Dialect | null = null;

  const dialectOf = (name: unknown): Dialect | null => {
    if (name === undefined || (typeof name === 'string' && DRAFT_2020.test(name))) {
      draft2020 ??= createDialect(Ajv2020, metaValidators().draft2020, fillsDefaults);
      return draft2020;
    }
    if (typeof name === 'string' && DRAFT_07.test(name)) {
      draft07 ??= createDialect(Ajv, metaValidators().draft07, fillsDefaults);
      return draft07;
    }
    return null;
  };

  return {
    compile(schema) {
      if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) {
        return { ok: false, path: '', message: 'must be an object that is a JSON Schema' };
      }
      const name: unknown = Reflect.get(schema, '$schema');
      const dialect = dialectOf(name);
      if (dialect === null) {
        return {
          ok: false,
          path: '/$schema',
          message: `names ${JSON.stringify(name)}, which is not supported. Leave it out (then it is draft 2020-12), or use "http://json-schema.org/draft-07/schema#"`,
        };
      }
      if (Reflect.get(schema, '$async') === true)
        return { ok: false, path: '/$async', message: 'asks for an asynchronous schema, which is not supported. Remove `$async`' };
      const usable = usableSchema(fillsDefaults ? schema : withOptionalDefaults(schema), integers);
      try {
        if (!dialect.isSchema(usable)) return invalid(dialect.isSchema.errors ?? []);
        const validate = dialect.compile(usable);
        return { ok: true, validate: integers === 'doubles' ? validate : withWholeNumbers(validate) };
      } catch (error) {
        return { ok: false, path: pathOf(usable, messageOf(error), dialect.compile), message: explainThrow(messageOf(error)) };
      }
    },
  };
}

const VALUE_KEYWORDS = new Set(['const', 'enum', 'default', 'examples']);

/**
 * Many schemas write `default: null` to mean no default, where null is invalid; filled in, it would refuse every call without the
 * argument. Bigints, which no validator supports, become doubles.
 */
function usableSchema<Schema extends object>(schema: Schema, integers: 'doubles' | 'bigints'): Schema {
  const copy = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return withoutBigints(value);
    if (Array.isArray(value)) return value.map(copy);
    const entries = Object.entries(value).filter(
      ([key, inner]) => key !== WHOLE && !(key === 'default' && inner === null && forbidsNull(value)),
    );
    const copied = entries.map(([key, inner]) => [key, VALUE_KEYWORDS.has(key) ? withoutBigints(inner) : copy(inner)]);
    if (integers === 'bigints' && asksForInteger(value)) {
      const fallback: unknown = Reflect.get(value, 'default');
      copied.push([WHOLE, typeof fallback === 'bigint' ? String(fallback) : '']);
    }
    return Object.fromEntries(copied);
  };
  return Object.assign({}, copy(schema)) as Schema;
}

function asksForInteger(schema: object): boolean {
  const type: unknown = Reflect.get(schema, 'type');
  return type === 'integer' || (Array.isArray(type) && type.includes('integer') && !type.includes('number'));
}

/** Added to each integer schema; its value is the default that no double can represent, or ''. */
const WHOLE = 'x-switchboard-whole';
let found: { readonly holder: object; readonly key: string | number; readonly value: bigint }[] = [];
const WHOLE_NUMBER = {
  keyword: WHOLE,
  type: 'number',
  schemaType: 'string',
  errors: false,
  validate(fallback: string, value: number, _schema?: object, context?: DataValidationCxt) {
    const digits = fallback !== '' && Number(fallback) === value ? fallback : Math.abs(value) >= WITH_EXPONENT ? digitsOf(value) : null;
    if (digits !== null && context !== undefined)
      found.push({ holder: context.parentData, key: context.parentDataProperty, value: BigInt(digits) });
    return true;
  },
} as const;

/** From here on JavaScript writes `1e+21`, which other languages parse as a float. */
const WITH_EXPONENT = 1e21;

function digitsOf(value: number): string {
  const [mantissa = '', exponent = '0'] = String(value).split('e+');
  const [whole = '', fraction = ''] = mantissa.split('.');
  return `${whole}${fraction.padEnd(Number(exponent), '0')}`;
}

function withWholeNumbers(validate: Validate): Validate {
  return (value, onlyFirst) => {
    found = [];
    const errors = validate(value, onlyFirst);
    if (errors.length === 0) for (const one of found) Reflect.set(one.holder, one.key, one.value);
    return errors;
  };
}

function forbidsNull(schema: object): boolean {
  const type: unknown = Reflect.get(schema, 'type');
  return typeof type === 'string' ? type !== 'null' : Array.isArray(type) && !type.includes('null');
}

/** A name may select a branch here; defaults in branches are never filled in. */
const BRANCHES = new Set(['anyOf', 'oneOf', 'not', 'if']);

/** Many servers list properties with a default as required, since they are always present after the server fills them in. */
function withOptionalDefaults<Schema extends object>(schema: Schema): Schema {
  const copy = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map(copy);
    const entries = Object.entries(value).map(([key, inner]): [string, unknown] =>
      key === 'required'
        ? [key, withoutDefaulted(inner, value)]
        : [key, VALUE_KEYWORDS.has(key) || BRANCHES.has(key) ? inner : copy(inner)],
    );
    return Object.fromEntries(entries);
  };
  return Object.assign({}, copy(schema)) as Schema;
}

function withoutDefaulted(required: unknown, schema: object): unknown {
  const properties: unknown = Reflect.get(schema, 'properties');
  if (!Array.isArray(required) || typeof properties !== 'object' || properties === null) return required;
  return required.filter((name: unknown) => {
    const property: unknown = typeof name === 'string' && Object.hasOwn(properties, name) ? Reflect.get(properties, name) : undefined;
    return !(typeof property === 'object' && property !== null && Object.hasOwn(property, 'default'));
  });
}

type Compile = (schema: object) => ValidateFunction;

function createDialect(Kind: typeof Ajv | typeof Ajv2020, isSchema: MetaValidator, fillsDefaults: boolean): Dialect {
  const settings: Options = { ...OPTIONS, useDefaults: fillsDefaults };
  const compileForAll = createCompile(Kind, settings);
  let compileForFirst: Compile | null = null;
  return {
    isSchema,
    compile(schema) {
      const forAll = compileForAll(schema);
      let forFirst: ValidateFunction | null = null;
      return (value, onlyFirst) => {
        if (onlyFirst && forFirst === null) forFirst = (compileForFirst ??= createCompile(Kind, { ...settings, allErrors: false }))(schema);
        const validate = onlyFirst && forFirst !== null ? forFirst : forAll;
        return validate(value) ? [] : underTheirUnions(validate.errors ?? [], schema);
      };
    },
  };
}

/** Adds meta-schemas only for a schema that refers to one. */
function createCompile(Kind: typeof Ajv | typeof Ajv2020, options: Options): Compile {
  const plain = withFormats(new Kind(options));
  let full: Ajv | Ajv2020 | null = null;
  return (schema) => {
    try {
      return plain.compile(schema);
    } catch (error) {
      if (!(error instanceof MissingRefError)) throw error;
      // A schema that refers to its root ("#") needs a name; a separate instance avoids collisions.
      if (error.missingRef === '') return withFormats(new Kind({ ...options, addUsedSchema: true })).compile(schema);
      if (!error.missingSchema.includes('//json-schema.org/')) throw error;
      full ??= withFormats(new Kind({ ...options, meta: true }));
      return full.compile(schema);
    }
  };
}

function withFormats<Kind extends Ajv | Ajv2020>(ajv: Kind): Kind {
  formats.default(ajv);
  ajv.removeKeyword(MULTIPLE_OF.keyword).addKeyword(MULTIPLE_OF);
  ajv.addKeyword(WHOLE_NUMBER);
  return ajv;
}

/** JSON Schema requires Unicode patterns; many common ones (`[\w-.]`) are invalid as such, but their meaning is clear. */
function createPattern(pattern: string, flags: string): RegExp {
  try {
    return new RegExp(pattern, flags);
  } catch {
    return new RegExp(pattern);
  }
}
createPattern.code = 'new RegExp';

function invalid(errors: readonly ErrorObject[]): CompileOutcome {
  const deepest = [...errors].sort((one, other) => depthOf(other) - depthOf(one))[0];
  if (deepest === undefined) return { ok: false, path: '', message: 'is not a valid JSON Schema' };
  const { keyword, params } = deepest;
  const wrong =
    keyword === 'enum' && Array.isArray(params['allowedValues'])
      ? `must be one of ${params['allowedValues'].map((value) => JSON.stringify(value)).join(', ')}`
      : deepest.message;
  return { ok: false, path: deepest.instancePath, message: `${wrong ?? 'is not valid'}, but it is ${shown(deepest.data)}` };
}

function depthOf(error: ErrorObject): number {
  return error.instancePath.split('/').length + (error.keyword === 'anyOf' ? -0.5 : 0);
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'undefined';
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}

const SEARCHED_MOST = 1_000;

/** The compiler does not say where it throws, so each part is compiled alone, without its inner schemas and references. */
function pathOf(schema: object, message: string, compile: (schema: object) => unknown): string {
  const isAtFault = (part: object): boolean => {
    try {
      compile(part);
      return false;
    } catch (error) {
      return messageOf(error) === message;
    }
  };
  const waiting: { value: object; path: string; isMap: boolean }[] = [{ value: schema, path: '', isMap: false }];
  for (const { value, path, isMap } of waiting) {
    const entries: [string, unknown][] = Object.entries(value);
    const own = isMap || Array.isArray(value) ? [] : entries.flatMap(withoutInner);
    if (own.length > 0 && isAtFault(Object.fromEntries(own))) {
      const alone = own.find((entry) => isAtFault(Object.fromEntries([entry])));
      return alone === undefined ? path : `${path}/${escapePointer(alone[0])}`;
    }
    for (const [key, inner] of entries) {
      if (waiting.length >= SEARCHED_MOST || typeof inner !== 'object' || inner === null) continue;
      if (isMap || !VALUE_KEYWORDS.has(key))
        waiting.push({ value: inner, path: `${path}/${escapePointer(key)}`, isMap: !isMap && MAPS.has(key) });
    }
  }
  return '';
}

/** Their values are schemas by name. */
const MAPS = new Set(['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions']);
const NOT_ALONE = new Set(['$schema', '$id', '$ref', '$dynamicRef', '$anchor', '$dynamicAnchor']);

function withoutInner([key, value]: [string, unknown]): [string, unknown][] {
  if (NOT_ALONE.has(key)) return [];
  if (typeof value !== 'object' || value === null || VALUE_KEYWORDS.has(key)) return [[key, value]];
  if (key === 'patternProperties') return [[key, Object.fromEntries(Object.keys(value).map((name) => [name, true]))]];
  return Array.isArray(value) && value.every((one) => typeof one !== 'object') ? [[key, value]] : [];
}

function escapePointer(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function explainThrow(message: string): string {
  const reference = /^can't resolve reference (?<name>\S+)/.exec(message)?.groups?.['name'];
  if (reference === undefined) return `is not a usable schema: ${message.slice(0, 500)}`;
  return `refers to ${reference}, which is not in this schema. Put it under \`$defs\` and write "#/$defs/<name>"; nothing is fetched from elsewhere`;
}
