import * as z from 'zod';
import { agentTool, readByModel } from './agent-view.ts';
import type { AgentTool } from './agent-view.ts';
import { isValidName, NAME_RULE } from './names.ts';
import { LIMITS } from './limits.ts';
import type { JsonSchema, Tool } from './tool.ts';

/** Selected tools for agents at the address `/mcp/{name}`, with their own names, descriptions, and hidden and fixed arguments. */

const argumentName = z.string().min(1).max(200);

export const toolsetToolSchema = z.strictObject({
  /** Its name on this server. */
  tool: z.string().min(1).max(LIMITS.nameLength),
  /** Its name in the toolset; absent: unchanged. */
  name: z.string().refine(isValidName, `must be ${NAME_RULE}`).optional(),
  title: z.string().max(200).optional(),
  description: z.string().max(LIMITS.toolsetTextLength).optional(),
  /** Left out of its parameters; the tool gets its defaults. */
  hidden_arguments: z.array(argumentName).max(200).optional(),
  /** Left out of its parameters; the tool gets these values. */
  fixed_arguments: z.record(argumentName, z.unknown()).optional(),
});
export type ToolsetTool = z.infer<typeof toolsetToolSchema>;

export const putToolsetSchema = z.strictObject({
  title: z.string().max(200).default(''),
  /** Replaces the instructions of extensions. */
  instructions: z.string().max(LIMITS.toolsetTextLength).default(''),
  /** In the order of the list. */
  tools: z.array(toolsetToolSchema).max(LIMITS.toolsetTools),
  /** Ids of the members who may use it, also with their tokens and clients; absent or null: everyone. Without accounts it has no effect. */
  members: z.array(z.string().min(1).max(100)).max(LIMITS.toolsetMembers).nullish(),
});
export type PutToolset = z.infer<typeof putToolsetSchema>;

export const toolsetSchema = z.object({
  name: z.string(),
  title: z.string(),
  instructions: z.string(),
  tools: z.array(toolsetToolSchema),
  members: z.array(z.string()).nullable(),
  /** Of its list of tools and its instructions, about four characters each. */
  estimated_tokens: z.number().int(),
  /** Tools that this server does not have now; agents do not see them. */
  missing: z.array(z.string()),
  updated_at: z.iso.datetime(),
  /** Null when unknown. */
  updated_by: z.string().nullable(),
});
export type Toolset = z.infer<typeof toolsetSchema>;

export const toolsetListSchema = z.object({ toolsets: z.array(toolsetSchema) });
export type ToolsetList = z.infer<typeof toolsetListSchema>;

/** `preview`: what `tools/list` answers. */
export const toolsetDetailSchema = toolsetSchema.extend({ preview: z.array(z.record(z.string(), z.unknown())) });
export type ToolsetDetail = z.infer<typeof toolsetDetailSchema>;

/** A tool as an agent sees it, and the resulting call. */
export interface ScopedTool {
  /** With its name, texts and parameters in the toolset. */
  readonly shown: Tool;
  /** Its name on this server. */
  readonly real: string;
  readonly fixed: Readonly<Record<string, unknown>>;
  /** Arguments that a caller cannot give. */
  readonly removed: ReadonlySet<string>;
}

/** In the order of the toolset, without missing tools. */
export function scopeTools(entries: readonly ToolsetTool[], find: (name: string) => Tool | undefined): readonly ScopedTool[] {
  return entries.flatMap((entry) => {
    const tool = find(entry.tool);
    return tool === undefined ? [] : [scopeTool(entry, tool)];
  });
}

function scopeTool(
  { tool: real, name, title, description, hidden_arguments: hidden = [], fixed_arguments: fixed = {} }: ToolsetTool,
  tool: Tool,
): ScopedTool {
  const removed = new Set([...hidden, ...Object.keys(fixed)]);
  return {
    real,
    fixed,
    removed,
    shown: {
      ...tool,
      name: name ?? tool.name,
      label: title === undefined || title === '' ? tool.label : title,
      description: description === undefined || description === '' ? tool.description : description,
      parameters: removed.size === 0 ? tool.parameters : withoutArguments(tool.parameters, removed),
    },
  };
}

function withoutArguments(schema: JsonSchema, removed: ReadonlySet<string>): JsonSchema {
  const { properties, required } = schema;
  return {
    ...schema,
    ...(isFields(properties) ? { properties: Object.fromEntries(Object.entries(properties).filter(([name]) => !removed.has(name))) } : {}),
    ...(Array.isArray(required) ? { required: required.filter((name) => !removed.has(String(name))) } : {}),
  };
}

/** Why a toolset cannot work, by the JSON Pointer of its fault; null if it can. */
export function faultOfToolset(
  { tools }: Pick<PutToolset, 'tools'>,
  find: (name: string) => Tool | undefined,
): { readonly path: string; readonly message: string } | null {
  const names = new Map<string, number>();
  for (const [at, entry] of tools.entries()) {
    const path = `/tools/${at}`;
    const tool = find(entry.tool);
    if (tool === undefined)
      return { path: `${path}/tool`, message: `There is no tool “${entry.tool}”. GET /api/v1/tools lists all tools.` };
    const name = entry.name ?? entry.tool;
    if (names.has(name))
      return {
        path: `${path}/name`,
        message: `The name “${name}” is used twice, also by tool ${names.get(name)}. Give one of them another \`name\`.`,
      };
    names.set(name, at);
    const fault = faultOfArguments(entry, tool);
    if (fault !== null) return { path: `${path}/${fault.field}`, message: fault.message };
  }
  return null;
}

function faultOfArguments(
  { tool: name, hidden_arguments: hidden = [], fixed_arguments: fixed = {} }: ToolsetTool,
  { parameters }: Tool,
): { readonly field: string; readonly message: string } | null {
  const { properties, required } = parameters;
  const known = isFields(properties) ? Object.keys(properties) : [];
  const isClosed = parameters['additionalProperties'] === false;
  for (const [field, names] of [
    ['hidden_arguments', hidden],
    ['fixed_arguments', Object.keys(fixed)],
  ] as const) {
    const unknown = names.find((one) => !known.includes(one) && (isClosed || field === 'hidden_arguments'));
    if (unknown !== undefined) return { field, message: `${name} has no argument “${unknown}”. It has: ${known.join(', ') || 'none'}.` };
  }
  const property = (one: string): unknown => (isFields(properties) && Object.hasOwn(properties, one) ? properties[one] : undefined);
  for (const [one, value] of Object.entries(fixed)) {
    const accepted = acceptedInstead(value, property(one));
    if (accepted !== null)
      return { field: 'fixed_arguments', message: `${name} does not accept this value of “${one}”: it takes ${accepted}.` };
  }
  const names: readonly unknown[] = Array.isArray(required) ? required : [];
  const hasDefault = (one: string): boolean => {
    const schema = property(one);
    return isFields(schema) && Object.hasOwn(schema, 'default');
  };
  const needed = names.map(String).find((one) => hidden.includes(one) && !Object.hasOwn(fixed, one) && !hasDefault(one));
  if (needed !== undefined)
    return {
      field: 'hidden_arguments',
      message: `${name} needs the argument “${needed}”. Give it a value in \`fixed_arguments\` instead.`,
    };
  return null;
}

/** The expected values of the argument; null if the value may be valid. The extension validates each call against the complete schema. */
function acceptedInstead(value: unknown, schema: unknown): string | null {
  if (!isFields(schema)) return null;
  const { type } = schema;
  const types: readonly unknown[] = type === undefined ? [] : Array.isArray(type) ? type : [type];
  if (types.length > 0 && !types.some((one) => hasType(value, one))) return types.join(' or ');
  const values: unknown = Object.hasOwn(schema, 'const') ? [schema['const']] : schema['enum'];
  if (!Array.isArray(values) || values.some((one) => one === value || (typeof one === 'object' && one !== null))) return null;
  return values.map((one) => JSON.stringify(one)).join(' or ');
}

/** Integers beyond 2^53 are bigints. */
function hasType(value: unknown, type: unknown): boolean {
  if (type === 'integer') return Number.isInteger(value) || typeof value === 'bigint';
  if (type === 'number') return typeof value === 'number' || typeof value === 'bigint';
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  return type === 'object' ? isFields(value) : typeof value === type;
}

/** The tools in `tools/list` of the most common protocol version. */
export function listedTools(tools: readonly ScopedTool[]): readonly AgentTool[] {
  return tools.filter(({ shown }) => shown.available).map(({ shown }) => agentTool(shown, false));
}

const CHARACTERS_PER_TOKEN = 4;

export function estimateTokens(tools: readonly AgentTool[], instructions: string): number {
  return Math.ceil((JSON.stringify(tools.map(readByModel)).length + instructions.length) / CHARACTERS_PER_TOKEN);
}

function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
