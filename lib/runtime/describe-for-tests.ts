import { isRecord } from './frames.ts';
import type { DescribeExtension, ToolDescription } from './runtime.ts';

/** Replaces the loader's validation in tests of this package: trusts the extension's description. */
export const describeForTests: DescribeExtension = (raw) => {
  const listed = raw.values['TOOLS'] ?? [raw.values['TOOL']];
  const tools = Array.isArray(listed) ? listed.filter(isRecord).map(toTool) : [];
  const channel = 'recv' in raw.values ? ({ send: raw.sendParameters === 2 ? 'answer' : 'message' } as const) : null;
  return {
    ok: true,
    description: { name: 'test', description: '', instructions: '', tools, hasStatus: raw.hasStatus, channel, warnings: [] },
  };
};

function toTool(tool: Readonly<Record<string, unknown>>): ToolDescription {
  const { name, label, description, parameters, output_schema: outputSchema } = tool;
  return {
    name: String(name),
    label: String(label),
    description: String(description),
    parameters: isRecord(parameters) ? parameters : {},
    outputSchema: isRecord(outputSchema) ? outputSchema : null,
    annotations: {},
    timeoutMs: null,
    examples: [],
    warnings: [],
  };
}
