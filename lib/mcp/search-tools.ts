import MiniSearch from 'minisearch';
import * as z from 'zod';
import type { Result } from '@modelcontextprotocol/server';
import { readByModel } from '#lib/contract/agent-view.ts';
import type { AgentTool } from '#lib/contract/agent-view.ts';

/**
 * `?mode=search`: three tools represent any number of tools, so that a list of thousands does not fill an agent's context.
 * `search_tools` ranks by BM25 over names and descriptions, `describe_tool` shows parameters, `call_tool` calls.
 */
const MOST = 50;
const USUAL = 10;
const DESCRIPTION_SHOWN = 300;

export const SEARCH_TOOL = 'search_tools';
export const DESCRIBE_TOOL = 'describe_tool';
export const CALL_TOOL = 'call_tool';

const searchSchema = z.strictObject({
  query: z.string().max(1_000).describe('What the tool should do, in a few words. Empty lists the first tools.'),
  limit: z.number().int().min(1).max(MOST).default(USUAL).describe('How many tools to list'),
});
const describeSchema = z.strictObject({ name: z.string().describe('The name of a tool, from search_tools') });
const callSchema = z.strictObject({
  name: z.string().describe('The name of a tool, from search_tools'),
  arguments: z.record(z.string(), z.unknown()).default({}).describe('Its arguments, as describe_tool shows them'),
});

const schemaOf = (schema: z.ZodType): AgentTool['inputSchema'] => {
  const { $schema: _draft, ...rest } = z.toJSONSchema(schema, { io: 'input' });
  return rest;
};

export const SEARCH_TOOLS: readonly AgentTool[] = [
  {
    name: SEARCH_TOOL,
    title: 'Search tools',
    description: 'Find tools by what they do. Returns names and descriptions, best first.',
    inputSchema: schemaOf(searchSchema),
    annotations: { readOnlyHint: true },
  },
  {
    name: DESCRIBE_TOOL,
    title: 'Describe a tool',
    description: 'The full description and the parameters of one tool.',
    inputSchema: schemaOf(describeSchema),
    annotations: { readOnlyHint: true },
  },
  {
    name: CALL_TOOL,
    title: 'Call a tool',
    description: 'Call one of the tools with its arguments, and return its result.',
    inputSchema: schemaOf(callSchema),
  },
];

export const SEARCH_INSTRUCTIONS =
  'This server has many tools. Find one with search_tools, read its parameters with describe_tool, and call it with call_tool.';

export interface ToolSearch {
  /** Result of `search_tools` or `describe_tool`; an invalid request is a result with `isError`. */
  answer(name: typeof SEARCH_TOOL | typeof DESCRIBE_TOOL, args: unknown): Result;
}

/** The index is built at the first search. */
export function createToolSearch(tools: readonly AgentTool[]): ToolSearch {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  let index: MiniSearch<AgentTool> | null = null;
  const indexed = (): MiniSearch<AgentTool> => {
    if (index !== null) return index;
    index = new MiniSearch<AgentTool>({
      idField: 'name',
      fields: ['name', 'title', 'description'],
      searchOptions: { boost: { name: 3, title: 2 }, prefix: true, fuzzy: (term) => (term.length > 5 ? 0.2 : false) },
    });
    index.addAll(tools);
    return index;
  };

  const find = (query: string, limit: number): readonly AgentTool[] => {
    if (query.trim() === '') return tools.slice(0, limit);
    return indexed()
      .search(query)
      .slice(0, limit)
      .flatMap(({ id }) => byName.get(String(id)) ?? []);
  };

  return {
    answer(name, args) {
      if (name === DESCRIBE_TOOL) {
        const asked = describeSchema.safeParse(args);
        if (!asked.success) return failed('describe_tool takes one argument, `name`: the name of a tool.');
        const tool = byName.get(asked.data.name);
        return tool === undefined ? failed(unknownTool(asked.data.name)) : said({ ...readByModel(tool) });
      }
      const asked = searchSchema.safeParse(args);
      if (!asked.success) return failed(`search_tools takes \`query\`, a text, and optionally \`limit\`, 1 to ${MOST}.`);
      const found = find(asked.data.query, asked.data.limit);
      return said({
        tools: found.map(({ name: tool, title, description }) => ({
          name: tool,
          ...(title === undefined ? {} : { title }),
          description: description.length > DESCRIPTION_SHOWN ? `${description.slice(0, DESCRIPTION_SHOWN)}…` : description,
        })),
        total: tools.length,
      });
    },
  };
}

/** The tool and arguments of a `call_tool`; null when they are invalid. */
export function readCall(args: unknown): { readonly name: string; readonly arguments: Record<string, unknown> } | null {
  const asked = callSchema.safeParse(args);
  return asked.success ? asked.data : null;
}

export function unknownTool(name: string): string {
  return `There is no tool “${name.slice(0, 100)}” here. Find one with search_tools.`;
}

export function failed(text: string): Result {
  return { content: [{ type: 'text', text }], isError: true };
}

function said(value: Readonly<Record<string, unknown>>): Result {
  return { content: [{ type: 'text', text: JSON.stringify(value) }], structuredContent: value };
}
