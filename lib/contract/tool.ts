import * as z from 'zod';
import { EXTENSION_RUNTIMES } from './states.ts';
import { iconSchema } from './mcp-content.ts';

/** MCP tool hints. Unknown hints are passed through. */
export const annotationsSchema = z.looseObject({
  title: z.string().optional(),
  readOnlyHint: z.boolean().optional(),
  destructiveHint: z.boolean().optional(),
  idempotentHint: z.boolean().optional(),
  openWorldHint: z.boolean().optional(),
});
export type ToolAnnotations = z.infer<typeof annotationsSchema>;

/** A JSON Schema object; the form of `parameters` in the API. */
export const jsonSchemaSchema = z.record(z.string(), z.unknown());
export type JsonSchema = z.infer<typeof jsonSchemaSchema>;

/** Default label of one-file tools, which are grouped. */
export const NO_LABEL = 'Tools';

export const toolSchema = z.object({
  name: z.string(),
  label: z.string(),
  extension: z.string(),
  /** Runtime of its extension; `mcp` has other defaults for missing hints. */
  runtime: z.enum(EXTENSION_RUNTIMES).optional(),
  revision: z.number().int(),
  description: z.string(),
  parameters: jsonSchemaSchema,
  output_schema: jsonSchemaSchema.nullable(),
  annotations: annotationsSchema,
  /** `_meta` of an MCP server's tool, if any. */
  meta: z.record(z.string(), z.unknown()).optional(),
  /** Of an MCP server's tool. */
  icons: z.array(iconSchema).optional(),
  /** Whether an MCP server's tool may run as a task. */
  is_task: z.boolean().optional(),
  /** Its name at the MCP server. */
  remote_name: z.string().optional(),
  timeout_ms: z.number().int().nullable(),
  examples: z.array(z.unknown()),
  available: z.boolean(),
  /** Why it is unavailable, or null. */
  unavailable_reason: z.string().nullable(),
  warnings: z.array(z.string()),
});
export type Tool = z.infer<typeof toolSchema>;

export const toolListSchema = z.object({ version: z.number().int(), tools: z.array(toolSchema) });
export type ToolList = z.infer<typeof toolListSchema>;
