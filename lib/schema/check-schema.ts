import { Ajv } from 'ajv';
import type { ErrorObject } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { KIND_WORDS } from '#lib/contract/union-errors.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import { subschemas } from '#lib/contract/subschemas.ts';
import type { SchemaPath, Subschema } from '#lib/contract/subschemas.ts';
import { isObject, kindOf, LIBRARY_SCHEMA, markOf } from './json-value.ts';
import { nearestName } from './nearest-name.ts';

/** A schema error and its location. */
export interface SchemaFault {
  readonly path: SchemaPath;
  /** A sentence that can follow the location. */
  readonly message: string;
  readonly hint?: string;
}

export const JSON_TYPES = ['string', 'integer', 'number', 'boolean', 'array', 'object', 'null'];
export const TYPE_WORDS: Readonly<Record<string, string>> = { int: 'integer', float: 'number', bool: 'boolean' };

const DIALECTS: Readonly<Record<string, '2020-12' | 'draft-07'>> = {
  'https://json-schema.org/draft/2020-12/schema': '2020-12',
  'http://json-schema.org/draft-07/schema': 'draft-07',
  'https://json-schema.org/draft-07/schema': 'draft-07',
};

/** Checks a JSON Schema against limits, references and the metaschema, without compiling it. Null if valid. */
export function checkSchema(schema: Readonly<Record<string, unknown>>): SchemaFault | null {
  if (Buffer.byteLength(JSON.stringify(schema)) > LIMITS.schemaBytes) {
    return {
      path: [],
      message: `is larger than ${LIMITS.schemaBytes / 1_024} KiB as JSON.`,
      hint: 'Shorten the schema; leave long lists of values to the tool itself.',
    };
  }
  const dialect = dialectOf(schema);
  if (typeof dialect !== 'string') return dialect;
  let count = 0;
  for (const place of subschemas(schema)) {
    count += 1;
    if (count > LIMITS.schemaSubschemas)
      return {
        path: place.path,
        message: `exceeds the limit of ${LIMITS.schemaSubschemas} schemas in total.`,
        hint: 'Describe fewer details, or share parts by `$defs` and `$ref`.',
      };
    if (place.depth > LIMITS.schemaDepth)
      return {
        path: place.path,
        message: `is nested more than ${LIMITS.schemaDepth} schemas deep.`,
        hint: 'Flatten the schema, or share parts by `$defs` and `$ref`.',
      };
    const fault = checkRequired(place) ?? checkType(place) ?? checkPatterns(place) ?? checkReference(place, schema);
    if (fault !== null) return fault;
  }
  return checkMetaschema(schema, dialect);
}

function dialectOf(schema: Readonly<Record<string, unknown>>): '2020-12' | 'draft-07' | SchemaFault {
  const written = schema['$schema'];
  if (written === undefined) return '2020-12';
  const dialect = typeof written === 'string' ? DIALECTS[written.replace(/#$/, '')] : undefined;
  if (dialect !== undefined) return dialect;
  return {
    path: ['$schema'],
    message: 'names an unknown dialect.',
    hint: 'Leave `$schema` out (then it is draft 2020-12), or write "http://json-schema.org/draft-07/schema#".',
  };
}

function checkRequired({ schema, path }: Subschema): SchemaFault | null {
  const required = schema['required'];
  if (typeof required !== 'boolean') return null;
  const name = path.at(-2) === 'properties' ? String(path.at(-1)) : null;
  const right = name === null ? '`required: ["name"]`' : `\`required: [${JSON.stringify(name)}]\``;
  return {
    path: [...path, 'required'],
    message: `is ${required}, but in JSON Schema \`required\` is a list of names beside \`properties\`.`,
    hint: `Remove it here and write ${required ? right : 'only the required names'} beside the \`properties\` that ${name === null ? 'have' : `has "${name}"`}.`,
  };
}

function checkType({ schema, path }: Subschema): SchemaFault | null {
  const written = schema['type'];
  if (written === undefined) return null;
  const words: readonly unknown[] = Array.isArray(written) ? written : [written];
  const wrong = words.find((word) => typeof word !== 'string' || !JSON_TYPES.includes(word));
  if (wrong === undefined && words.length > 0) return null;
  const meant = typeof wrong === 'string' ? (TYPE_WORDS[wrong] ?? nearestName(wrong, JSON_TYPES)) : null;
  const shown = JSON.stringify(wrong ?? written);
  return {
    path: [...path, 'type'],
    message: `is ${shown.length > 60 ? `${shown.slice(0, 59)}…` : shown}; a type is one of ${JSON_TYPES.join(', ')}.`,
    hint: meant === null ? 'Write one of these words.' : `Did you mean "${meant}"?`,
  };
}

function checkPatterns({ schema, path }: Subschema): SchemaFault | null {
  const patterns: (readonly [SchemaPath, unknown])[] = [[['pattern'], schema['pattern']]];
  if (isObject(schema['patternProperties']))
    for (const name of Object.keys(schema['patternProperties'])) patterns.push([['patternProperties', name], name]);
  for (const [place, pattern] of patterns) {
    if (typeof pattern !== 'string') continue;
    try {
      new RegExp(pattern, 'u');
    } catch (error) {
      const reason = error instanceof Error ? error.message.replace(/^Invalid regular expression: /, '') : '';
      return {
        path: [...path, ...place],
        message: `is not a regular expression (${reason}).`,
        hint: 'Patterns follow JavaScript with the `u` flag; in a string a backslash is written twice.',
      };
    }
  }
  return null;
}

function checkReference({ schema, path }: Subschema, root: Readonly<Record<string, unknown>>): SchemaFault | null {
  for (const keyword of ['$ref', '$dynamicRef']) {
    const reference = schema[keyword];
    if (typeof reference !== 'string') continue;
    const id = root['$id'];
    const local = typeof id === 'string' && reference.startsWith(id) ? reference.slice(id.length) || '#' : reference;
    if (!local.startsWith('#'))
      return {
        path: [...path, keyword],
        message: `points outside of this schema ("${reference.slice(0, 200)}"); nothing is fetched.`,
        hint: 'Put what it points to under `$defs` and refer to it as "#/$defs/name".',
      };
    if (!isThere(local, root))
      return {
        path: [...path, keyword],
        message: `points to "${reference.slice(0, 200)}", which is not in this schema.`,
        hint: 'Check the spelling; the path begins at the root of the schema, as in "#/$defs/name".',
      };
  }
  return null;
}

function isThere(local: string, root: Readonly<Record<string, unknown>>): boolean {
  if (local === '#') return true;
  if (!local.startsWith('#/')) {
    for (const { schema } of subschemas(root)) {
      if ([schema['$anchor'], schema['$dynamicAnchor']].includes(local.slice(1)) || schema['$id'] === local) return true;
    }
    return false;
  }
  let at: unknown = root;
  for (const part of local.slice(2).split('/')) {
    const key = decode(part).replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(at)) at = at[Number(key)];
    else if (isObject(at) && Object.hasOwn(at, key)) at = at[key];
    else return false;
  }
  return isObject(at) || typeof at === 'boolean';
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

const OPTIONS = { strict: false, validateFormats: false, logger: false } as const;
/** Only the metaschemas are compiled, on first use, which takes tens of milliseconds. */
const METASCHEMAS = { '2020-12': new Ajv2020(OPTIONS), 'draft-07': new Ajv(OPTIONS) };

/** Prepares the checks before a save waits for them. */
export function prepareSchemaChecks(): void {
  checkMetaschema({}, '2020-12');
}

function checkMetaschema(schema: Readonly<Record<string, unknown>>, dialect: '2020-12' | 'draft-07'): SchemaFault | null {
  const ajv = METASCHEMAS[dialect];
  const { $schema: _, ...rest } = schema;
  if (ajv.validateSchema(rest) === true) return null;
  const error = ajv.errors?.[0];
  const path = (error?.instancePath ?? '')
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  return { path, message: `${error === undefined ? 'is not a valid JSON Schema' : describeError(error)}.` };
}

function describeError({ keyword, params, message = 'is not valid' }: ErrorObject): string {
  const allowed: unknown = params['allowedValues'];
  if (Array.isArray(allowed)) return `${message}: ${allowed.join(', ')}`;
  if (keyword === 'type') {
    const types: readonly unknown[] = [params['type']].flat();
    return `must be ${types.map((type) => KIND_WORDS[String(type)] ?? String(type)).join(', or ')}`;
  }
  return keyword === 'minimum' ? `must be ${String(params['limit'])} or more` : message;
}

interface Place {
  readonly value: unknown;
  readonly path: SchemaPath;
}

/**
 * The first location that is not JSON, is nested too deeply, or has a name that would change the prototype. Ends on any input.
 */
export function findForeign(root: unknown): SchemaFault | null {
  const waiting: Place[] = [{ value: root, path: [] }];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    if (at.path.length > LIMITS.bodyDepth) return { path: at.path.slice(0, 6), message: 'is nested too deeply.', hint: 'Flatten it.' };
    const mark = markOf(at.value);
    if (mark !== null && mark !== 'undefined')
      return {
        path: at.path,
        message: `is ${kindOf(at.value)}; only JSON is allowed here.`,
        hint:
          mark === LIBRARY_SCHEMA
            ? 'Convert the complete schema, for example `parameters: z.toJSONSchema(z.object({ … }))`.'
            : at.path.at(-1) === 'type'
              ? 'Write types as words: `type: "string"`, not `type: String`.'
              : 'Write a plain JSON value here.',
      };
    if (typeof at.value !== 'object' || at.value === null || mark !== null) continue;
    for (const [key, value] of Object.entries(at.value)) {
      const path = [...at.path, Array.isArray(at.value) ? Number(key) : key];
      if (key === '__proto__')
        return {
          path,
          message: 'has a name that is not accepted, because it would change the object itself.',
          hint: 'Choose another name.',
        };
      waiting.push({ value, path });
    }
  }
  return null;
}
