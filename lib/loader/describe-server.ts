import * as z from 'zod';
import { LIMITS } from '#lib/contract/limits.ts';
import { unreadableOutput } from '#lib/contract/agent-schema.ts';
import { fieldIssues } from '#lib/contract/field-words.ts';
import { serverFeaturesSchema } from '#lib/contract/server-features.ts';
import { iconSchema } from '#lib/contract/mcp-content.ts';
import { annotationsSchema, type JsonSchema, jsonSchemaSchema } from '#lib/contract/tool.ts';
import type { DescribeExtension, ToolDescription } from '#lib/runtime/runtime.ts';
import { checkSchema } from '#lib/schema/check-schema.ts';

const serverSchema = z.object({
  server: z.object({ name: z.string(), title: z.string(), version: z.string() }),
  description: z.string(),
  icons: z.array(iconSchema),
  instructions: z.string(),
  tools: z.array(
    z.object({
      name: z.string(),
      label: z.string(),
      description: z.string(),
      parameters: jsonSchemaSchema,
      outputSchema: jsonSchemaSchema.nullable(),
      /** Why results cannot be validated against it. */
      outputFault: z.string().nullable(),
      annotations: annotationsSchema,
      meta: z.record(z.string(), z.unknown()).nullable(),
      icons: z.array(iconSchema),
      isTask: z.boolean(),
      remoteName: z.string(),
      warnings: z.array(z.string()),
    }),
  ),
  features: serverFeaturesSchema,
  warnings: z.array(z.string()),
  timeoutMs: z.number().int().min(1).max(LIMITS.callTimeoutMostMs).nullable(),
  keepAlive: z.boolean().nullable(),
});

/**
 * An MCP server as an extension. Its tools come from a third party, so they are used unchanged and without warnings.
 */
export const describeServer: DescribeExtension = (raw) => {
  const parsed = serverSchema.safeParse(raw.values['server']);
  if (!parsed.success) {
    const [issue] = fieldIssues('The response', serverSchema, parsed.error.issues);
    return {
      ok: false,
      failure: { code: 'mcp_error', message: `The server’s tool list is not valid MCP: ${issue?.message ?? ''}` },
    };
  }
  const { server, description, icons, instructions, tools, features, warnings, timeoutMs, keepAlive } = parsed.data;
  const taken = tools.slice(0, LIMITS.toolsPerExtension);
  const left = tools.length - taken.length;
  return {
    ok: true,
    description: {
      name: server.title || server.name,
      description: [description, `MCP server ${server.name || 'without a name'} ${server.version}`.trim()].filter(Boolean).join('\n\n'),
      instructions,
      tools: taken.map((tool) => describeTool(tool, timeoutMs)),
      hasStatus: raw.hasStatus,
      channel: null,
      // The state of a server in memory is unknown, so its process ends only if a person allows it.
      kept: keepAlive === null ? 'session' : keepAlive ? 'declared' : null,
      features,
      ...(icons.length === 0 ? {} : { icons }),
      warnings:
        left === 0
          ? warnings
          : [...warnings, `The server has ${tools.length} tools; ${left} above the limit of an extension were left out.`],
    },
  };
};

type DescribedTool = z.infer<typeof serverSchema>['tools'][number];

function describeTool(
  { meta, icons, isTask, outputSchema, outputFault, warnings, ...tool }: DescribedTool,
  timeoutMs: number | null,
): ToolDescription {
  const why = outputSchema === null ? null : (unusableReason(outputSchema) ?? outputFault);
  return {
    ...tool,
    label: tool.label.trim() || tool.name,
    outputSchema: why === null ? outputSchema : null,
    ...(meta === null ? {} : { meta }),
    ...(icons.length === 0 ? {} : { icons }),
    ...(isTask ? { isTask } : {}),
    timeoutMs,
    examples: [],
    warnings:
      why === null
        ? warnings
        : [
            ...warnings,
            `Its \`outputSchema\` cannot be used: ${why.replace(/\.$/, '')}. It was left out, so its results are not validated.`,
          ],
  };
}

/** MCP clients are stricter than the server's process, and reject the list or the call. */
function unusableReason(schema: JsonSchema): string | null {
  const fault = checkSchema(schema);
  if (fault === null) return unreadableOutput(schema);
  const place = fault.path.map((part) => `/${part}`).join('');
  return place === '' ? `it ${fault.message}` : `${place} ${fault.message}`;
}
