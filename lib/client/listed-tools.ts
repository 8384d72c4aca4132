import type { Tool, ToolList } from '#lib/contract/tool.ts';

/** Fields of a tool in a list. Schemas are read with the tool. */
export type ListedTool = Omit<Tool, 'parameters' | 'output_schema' | 'examples'>;

export interface ListedTools {
  readonly version: number;
  readonly tools: readonly ListedTool[];
}

/** The list without schemas, which would be most of a page. */
export function listTools({ version, tools }: ToolList): ListedTools {
  return {
    version,
    tools: tools.map(({ parameters: _parameters, output_schema: _output, examples: _examples, ...listed }) => listed),
  };
}
