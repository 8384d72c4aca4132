import { z } from 'zod';
import { LIMITS } from '#lib/contract/limits.ts';
import { annotationsSchema, jsonSchemaSchema } from '#lib/contract/tool.ts';
import type { DescribeExtension, ToolDescription } from '#lib/runtime/runtime.ts';

const serverSchema = z.object({
  server: z.object({ name: z.string(), title: z.string(), version: z.string() }),
  description: z.string(),
  instructions: z.string(),
  tools: z.array(
    z.object({
      name: z.string(),
      label: z.string(),
      description: z.string(),
      parameters: jsonSchemaSchema,
      outputSchema: jsonSchemaSchema.nullable(),
      annotations: annotationsSchema,
      warnings: z.array(z.string()),
    }),
  ),
  warnings: z.array(z.string()),
  timeoutMs: z.number().int().min(1).max(LIMITS.callTimeoutMostMs).nullable(),
});

/** What an MCP server offers, as an extension. Its tools are taken as they are: another hand wrote them, so no advice is given. */
export const describeServer: DescribeExtension = (raw) => {
  const parsed = serverSchema.safeParse(raw.values['server']);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const where = issue === undefined ? '' : ` (${issue.path.join('.')}: ${issue.message})`;
    return { ok: false, failure: { code: 'mcp_error', message: `The server described its tools with what is not MCP${where}.` } };
  }
  const { server, description, instructions, tools, warnings, timeoutMs } = parsed.data;
  const taken = tools.slice(0, LIMITS.toolsPerExtension);
  const left = tools.length - taken.length;
  return {
    ok: true,
    description: {
      name: server.title || server.name,
      description: [description, `MCP server ${server.name || 'without a name'} ${server.version}`.trim()].filter(Boolean).join('\n\n'),
      instructions,
      tools: taken.map((tool): ToolDescription => ({ ...tool, label: tool.label.trim() || tool.name, timeoutMs, examples: [] })),
      hasStatus: raw.hasStatus,
      channel: null,
      warnings:
        left === 0
          ? warnings
          : [...warnings, `The server has ${tools.length} tools; ${left} more than an extension may have were left out.`],
    },
  };
};
