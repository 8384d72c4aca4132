import { annotationsSchema } from '#lib/contract/tool.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import { mapSchemas } from '#lib/contract/subschemas.ts';
import type { Icon } from '#lib/contract/mcp-content.ts';
import { isRecord } from '../frames.ts';
import {
  DESCRIPTION_CHARACTERS,
  excessOf,
  FURTHER_BYTES,
  kindOf,
  readIcons,
  readText,
  shown,
  TITLE_CHARACTERS,
  readList,
} from './server-fields.ts';
import type { AskPage, Warn } from './server-fields.ts';

/**
 * Parses the tools of an MCP server one by one and field by field: an invalid field affects neither other fields nor other tools.
 * Null counts as absent, and so does PHP's empty list in place of an object; a schema without `type` is an object schema. Unusable
 * parts are dropped with a warning.
 */
export interface OfferedTool {
  readonly name: string;
  readonly label: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly outputSchema: Readonly<Record<string, unknown>> | null;
  readonly annotations: Readonly<Record<string, unknown>>;
  readonly meta: Readonly<Record<string, unknown>> | null;
  readonly icons: readonly Icon[];
  /** Null: it cannot run as a task. */
  readonly taskSupport: 'optional' | 'required' | null;
  readonly warnings: readonly string[];
}

export interface OfferedTools {
  readonly tools: readonly OfferedTool[];
  readonly warnings: readonly string[];
}

type Json = Readonly<Record<string, unknown>>;

const MOST_TOOLS = 2 * LIMITS.toolsPerExtension;

/** All pages of `tools/list`. */
export async function readPages(ask: AskPage, explain: (error: unknown) => string): Promise<OfferedTools> {
  const { entries, warnings } = await readList(ask, explain, {
    field: 'tools',
    words: 'tools',
    most: MOST_TOOLS,
    read(listed, before) {
      const { tools, warnings: some } = readTools(listed, before);
      return { entries: tools, warnings: some };
    },
  });
  return { tools: entries, warnings };
}

/** @param before number of tools read before */
export function readTools(listed: unknown, before = 0): OfferedTools {
  if (listed === undefined || listed === null) return { tools: [], warnings: [] };
  if (!Array.isArray(listed)) return { tools: [], warnings: [`Its list of tools is ${kindOf(listed)}; it was left out.`] };
  const tools: OfferedTool[] = [];
  const warnings: string[] = [];
  for (const [at, entry] of listed.entries()) {
    const place = `Tool ${before + at + 1} of its list`;
    const name: unknown = isRecord(entry) ? entry['name'] : undefined;
    if (!isRecord(entry)) warnings.push(`${place} is ${kindOf(entry)}, not an object; it was left out.`);
    else if (typeof name === 'string' && name !== '') tools.push(readTool(name, entry));
    else warnings.push(`${place} has no name (\`name\` is ${kindOf(name)}); it was left out.`);
  }
  return { tools, warnings };
}

function readTool(name: string, entry: Json): OfferedTool {
  const warnings: string[] = [];
  const warn = (text: string): void => void warnings.push(text);
  const annotations = readAnnotations(entry['annotations'], warn);
  const title = readText(entry['title'], '`title`', TITLE_CHARACTERS, warn);
  return {
    name,
    label: title || (typeof annotations['title'] === 'string' ? annotations['title'] : '') || name,
    description: readText(entry['description'], '`description`', DESCRIPTION_CHARACTERS, warn),
    inputSchema: readInputSchema(entry['inputSchema'], warn),
    outputSchema: readOutputSchema(entry['outputSchema'], warn),
    annotations,
    meta: readBounded(entry['_meta'], '`_meta`', warn),
    icons: readIcons(entry['icons'], warn),
    taskSupport: readTaskSupport(entry['execution']),
    warnings,
  };
}

function readTaskSupport(execution: unknown): OfferedTool['taskSupport'] {
  const support = isRecord(execution) ? execution['taskSupport'] : undefined;
  return support === 'optional' || support === 'required' ? support : null;
}

/** Over HTTP the stateless protocol repeats arguments in headers; it requires clients to drop tools with invalid declarations. */
export function withoutInvalidHeaders({ tools, warnings }: OfferedTools): OfferedTools {
  const isInvalid = ({ inputSchema }: OfferedTool): boolean => {
    const names = headersBelow(inputSchema);
    const isAmbiguous = new Set(names.map((name) => name.toLowerCase())).size < names.length;
    return isAmbiguous || names.length < JSON.stringify(inputSchema).split(`"${HEADER_KEYWORD}":`).length - 1;
  };
  const invalid = new Set(tools.filter(isInvalid));
  return {
    tools: tools.filter((tool) => !invalid.has(tool)),
    warnings: [
      ...warnings,
      ...[...invalid].map(
        ({ name }) => `The tool “${name.slice(0, 100)}” says \`${HEADER_KEYWORD}\` where a header cannot be sent; it was left out.`,
      ),
    ],
  };
}

const HEADER_KEYWORD = 'x-mcp-header';
const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/;
const HEADER_TYPES: ReadonlySet<unknown> = new Set(['string', 'integer', 'boolean']);

/** Headers with a valid declaration: on single values below `properties` only. */
function headersBelow(schema: unknown): readonly string[] {
  if (!isRecord(schema) || !isRecord(schema['properties'])) return [];
  return Object.values(schema['properties']).flatMap((property) => {
    const name = isRecord(property) && HEADER_TYPES.has(property['type']) ? property[HEADER_KEYWORD] : undefined;
    return [...(typeof name === 'string' && HEADER_NAME.test(name) ? [name] : []), ...headersBelow(property)];
  });
}

const SCHEMA_BYTES = 262_144;

function readInputSchema(value: unknown, warn: Warn): Json {
  const written = isAbsent(value) || value === true ? {} : value;
  const alone = 'so only the server validates arguments';
  if (!isRecord(written)) {
    warn(`Its \`inputSchema\` is ${kindOf(value)}, not a JSON Schema, ${alone}.`);
    return OF_ANYTHING;
  }
  const excess = excessOf(written, SCHEMA_BYTES);
  if (excess !== null) {
    warn(`Its parameters are not a usable schema, ${alone}: \`inputSchema\` ${excess}.`);
    return OF_ANYTHING;
  }
  const { type, properties, required, ...rest } = readSchema(written);
  const isObject = type === undefined || type === 'object' || (Array.isArray(type) && type.includes('object'));
  if (!isObject)
    warn(`Its \`inputSchema\` says \`"type": ${shown(type)}\`; arguments are always one object, so it is treated as an object schema.`);
  const names = Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];
  if (!isAbsent(required) && !(Array.isArray(required) && names.length === required.length))
    warn(`\`required\` in its \`inputSchema\` is not a list of names; other values were left out.`);
  if (!isAbsent(properties) && !isRecord(properties))
    warn(`\`properties\` in its \`inputSchema\` is ${kindOf(properties)}; it was left out.`);
  return {
    ...rest,
    type: 'object',
    ...(isRecord(properties) ? { properties } : {}),
    ...(names.length > 0 ? { required: names } : {}),
  };
}

const OF_ANYTHING: Json = { type: 'object' };

function readOutputSchema(value: unknown, warn: Warn): Json | null {
  if (isAbsent(value) || value === true) return null;
  const excess = isRecord(value) ? excessOf(value, SCHEMA_BYTES) : `is ${kindOf(value)}, not a JSON Schema`;
  if (excess !== null || !isRecord(value)) {
    warn(`Its \`outputSchema\` ${excess ?? ''}. It was left out, so its results are not validated.`);
    return null;
  }
  const schema = readSchema(value);
  return schema['type'] === undefined && isRecord(schema['properties']) ? { ...schema, type: 'object' } : schema;
}

/** Only in these may a schema use null. */
const MAY_BE_NULL = new Set(['const', 'default']);

function readSchema(schema: Json): Json {
  return mapSchemas(
    schema,
    (part) => Object.fromEntries(Object.entries(part).filter(([keyword, value]) => value !== null || MAY_BE_NULL.has(keyword))),
    (value) => (value === null ? {} : value),
  );
}

function readAnnotations(value: unknown, warn: Warn): Json {
  const given = readBounded(value, '`annotations`', warn) ?? {};
  const known = Object.entries(given).filter(([field, hint]) => {
    if (hint === null) return false;
    const isKept = annotationsSchema.safeParse({ [field]: hint }).success;
    if (!isKept) warn(`\`${field}\` in its \`annotations\` is ${kindOf(hint)}; it was left out.`);
    return isKept;
  });
  return Object.fromEntries(known);
}

function readBounded(value: unknown, field: string, warn: Warn): Json | null {
  if (isAbsent(value)) return null;
  const excess = isRecord(value) ? excessOf(value, FURTHER_BYTES) : `is ${kindOf(value)}, not an object`;
  if (excess === null && isRecord(value)) return value;
  warn(`Its ${field} ${excess ?? ''}; it was left out.`);
  return null;
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0);
}
