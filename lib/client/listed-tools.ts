import type { Tool, ToolList } from '#lib/contract/tool.ts';

/** What a list shows of a tool. What it takes and gives is read with the tool itself. */
export type ListedTool = Omit<Tool, 'parameters' | 'output_schema' | 'examples'>;

export interface ListedTools {
  readonly version: number;
  readonly tools: readonly ListedTool[];
}

/** The list without its schemas, which would be most of a page that names the tools. */
export function listTools({ version, tools }: ToolList): ListedTools {
  return {
    version,
    tools: tools.map(({ parameters: _parameters, output_schema: _output, examples: _examples, ...listed }) => listed),
  };
}
