import MiniSearch from 'minisearch';
import * as z from 'zod';
import type { Result } from '@modelcontextprotocol/server';
import { type ScopedTool, scopeTools } from '#lib/contract/toolset.ts';
import { appOf } from '#lib/contract/mcp-apps.ts';
import { FULL_SCOPE, type McpCaller, type McpScope } from '#lib/contract/mcp-exchange.ts';
import type { Host } from '#lib/host/host.ts';
import type { Tool } from '#lib/contract/tool.ts';
import { type AgentTool, agentTool, readByModel } from '#lib/contract/agent-view.ts';
import { type Authoring, AUTHORING_INSTRUCTIONS } from './authoring.ts';
import { type HeaderParameter, readHeaderParameters } from './header-parameters.ts';
import { type PreparedList, prepareList } from './answer-transport.ts';

/**
 * Tools as clients see them, built once per snapshot with the bytes of `tools/list`: the cost of a list or call does not grow
 * with the number of tools. What can go wrong: a stale catalogue. So each event of a new tool set drops it, and nothing is
 * cached during the first load. With accounts there is one per set of permissions: callers of a role share it, and a token for
 * some tools has its own. Toolsets and the search mode have theirs, of the same kind.
 */
interface ToolCatalogue {
  readonly tools: ReadonlyMap<string, CatalogueTool>;
  /** Tools by their names at their server, for MCP Apps, which know no others. Names of two servers are left out. */
  readonly appTools: ReadonlyMap<string, CatalogueTool>;
  /** As listed in each protocol generation. */
  readonly legacyTools: PreparedList;
  readonly modernTools: PreparedList;
  /** Instructions of all extensions, or of the toolset; '' for none. */
  readonly instructions: string;
  /** In search mode; null otherwise. */
  readonly search: ToolSearch | null;
}

export interface CatalogueTool {
  /** Its name on this server. */
  readonly real: string;
  /** Of a toolset; null otherwise. */
  readonly scoped: ScopedTool | null;
  /** Id of its MCP server, whose results are already in the protocol's format; null for other tools. */
  readonly server: string | null;
  readonly hasOutputSchema: boolean;
  /** May run as a task. */
  readonly isTask: boolean;
  /** Parameters that a client repeats in headers. */
  readonly headerParameters: readonly HeaderParameter[];
}

export interface ServerInfo {
  readonly name: string;
  readonly title: string;
  readonly version: string;
}

export interface Catalogues {
  /** Visible to a caller. */
  current(caller: McpCaller): ToolCatalogue;
  /** All tools. */
  all(): ToolCatalogue;
  close(): void;
}

/** `onChange`: the visible tools may have changed. */
export function createCatalogues(host: Host, authoring: Authoring | null, onChange: () => void): Catalogues {
  let cache = createCatalogueCache();
  let isLoaded = false;
  const drop = (): void => {
    cache = createCatalogueCache();
    onChange();
  };
  host.ready.then(
    () => {
      isLoaded = true;
      drop();
    },
    // A failing first load stops the server with an error.
    () => undefined,
  );
  const unsubscribe = host.events.subscribeOwn(drop, ['snapshot.changed', 'host.resync']);

  const find = (key: string, tools: ReadonlySet<string> | null, view: View, scope: McpScope): ToolCatalogue => {
    const cacheKey = scope === FULL_SCOPE ? key : `${key} ${scope.isSearch ? '?' : '/'}${scope.toolset ?? ''}`;
    const known = cache.of(tools).get(cacheKey);
    if (known !== undefined) return known;
    const fresh = makeCatalogue(host, authoring, view, scope);
    if (isLoaded) cache.of(tools).set(cacheKey, fresh);
    return fresh;
  };

  return {
    current({ key, tools, may, scope }) {
      if (key === null) return find(ALL_KEY, null, FULL_VIEW, scope);
      const mayCall = (name: string): boolean => may('tools.call', name);
      const mayWrite = may('extensions.edit', null);
      // Callers with the same tools differ only by role, which each tool shows.
      const [one = ''] = tools ?? [];
      return find(`${mayCall(one)} ${mayWrite}`, tools, { isShown: mayCall, mayWrite }, scope);
    },
    all: () => find(ALL_KEY, null, FULL_VIEW, FULL_SCOPE),
    close: unsubscribe,
  };
}

/** Visible fields of the tools. */
interface View {
  isShown(tool: string): boolean;
  readonly mayWrite: boolean;
}

const ALL_KEY = 'all';
const FULL_VIEW: View = { isShown: () => true, mayWrite: true };

/** Catalogues by permissions; those of a token are dropped with the token. */
function createCatalogueCache() {
  const unrestricted = new Map<string, ToolCatalogue>();
  const byTools = new WeakMap<ReadonlySet<string>, Map<string, ToolCatalogue>>();
  return {
    of(tools: ReadonlySet<string> | null): Map<string, ToolCatalogue> {
      if (tools === null) return unrestricted;
      const known = byTools.get(tools) ?? new Map<string, ToolCatalogue>();
      byTools.set(tools, known);
      return known;
    },
  };
}

function makeCatalogue(host: Host, written: Authoring | null, view: View, scope: McpScope): ToolCatalogue {
  if (scope.toolset !== null || scope.isSearch) return makeScoped(host, view, scope);
  const authoring = view.mayWrite ? written : null;
  const { extensions } = host.extensions.list();
  const remote = new Set(extensions.filter(({ runtime }) => runtime === 'mcp').map(({ id }) => id));
  const known = host.tools.list().tools.filter(({ name }) => view.isShown(name));
  const shown = new Set(known.map(({ extension }) => extension));
  // With authoring enabled, the names of the authoring tools are reserved.
  const own = authoring?.listed ?? [];
  const listed = known.filter(({ available, name }) => available && written?.has(name) !== true);
  const tools = known.map((tool) => ({ tool, entry: catalogueTool(tool, tool.name, null, remote) }));
  return {
    tools: new Map(tools.map(({ tool, entry }) => [tool.name, entry])),
    appTools: appToolsOf(tools),
    legacyTools: prepareList([...own, ...listed.map((tool) => agentTool(tool, false))]),
    modernTools: prepareList([...own, ...listed.map((tool) => agentTool(tool, true))]),
    search: null,
    instructions: [
      ...(authoring === null ? [] : [AUTHORING_INSTRUCTIONS]),
      ...extensions
        .filter(
          ({ id, state, instructions }) =>
            (state === 'ready' || state === 'degraded') && instructions.trim() !== '' && (view === FULL_VIEW || shown.has(id)),
        )
        .map(({ id, instructions }) => `${id}:\n${instructions.trim()}`),
    ].join('\n\n'),
  };
}

interface ListedTool {
  readonly tool: Tool;
  readonly entry: CatalogueTool;
}

function appToolsOf(tools: readonly ListedTool[]): ReadonlyMap<string, CatalogueTool> {
  const withApps = new Set(tools.filter(({ tool }) => appOf(tool.meta).uri !== null).map(({ tool }) => tool.extension));
  const offered = tools.filter(({ tool }) => withApps.has(tool.extension) && appOf(tool.meta).isForApp);
  const byName = Map.groupBy(offered, ({ tool }) => tool.remote_name ?? '');
  return new Map([...byName].flatMap(([name, [one, ...others]]) => (one === undefined || others.length > 0 ? [] : [[name, one.entry]])));
}

/** A tool by the name that an agent, or an app of its server, uses. */
export function findTool({ tools, appTools }: ToolCatalogue, name: string): CatalogueTool | undefined {
  return tools.get(name) ?? appTools.get(name);
}

function catalogueTool(tool: Tool, real: string, scoped: ScopedTool | null, remote: ReadonlySet<string>): CatalogueTool {
  return {
    real,
    scoped,
    server: remote.has(tool.extension) ? tool.extension : null,
    hasOutputSchema: tool.output_schema !== null,
    isTask: tool.is_task === true,
    headerParameters: readHeaderParameters(tool.parameters),
  };
}

/** Of a toolset, and of the search mode. Agents that write extensions use the complete list. */
function makeScoped(host: Host, view: View, { toolset, isSearch }: McpScope): ToolCatalogue {
  const remote = new Set(
    host.extensions
      .list()
      .extensions.filter(({ runtime }) => runtime === 'mcp')
      .map(({ id }) => id),
  );
  const all = host.tools.list().tools;
  const byName = new Map(all.map((tool) => [tool.name, tool]));
  const scope =
    toolset === null
      ? {
          tools: scopeTools(
            all.map(({ name }) => ({ tool: name })),
            (name) => byName.get(name),
          ),
          instructions: '',
        }
      : (host.toolsets.scope(toolset) ?? { tools: [], instructions: '' });
  const known = scope.tools.filter(({ real }) => view.isShown(real));
  const listed = known.filter(({ shown }) => shown.available).map(({ shown }) => shown);
  const asListed = (isModern: boolean) => listed.map((tool) => agentTool(tool, isModern));
  const forModel = listed.filter(({ meta }) => appOf(meta).isForModel);
  const search = isSearch ? createToolSearch(forModel.map((tool) => agentTool(tool, true))) : null;
  const tools = known.map((scoped) => ({ tool: scoped.shown, entry: catalogueTool(scoped.shown, scoped.real, scoped, remote) }));
  return {
    tools: new Map(tools.map(({ tool, entry }) => [tool.name, entry])),
    appTools: appToolsOf(tools),
    legacyTools: prepareList(isSearch ? SEARCH_TOOLS : asListed(false)),
    modernTools: prepareList(isSearch ? SEARCH_TOOLS : asListed(true)),
    search,
    instructions: [...(isSearch ? [SEARCH_INSTRUCTIONS] : []), scope.instructions.trim()].filter((text) => text !== '').join('\n\n'),
  };
}

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

const SEARCH_TOOLS: readonly AgentTool[] = [
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

const SEARCH_INSTRUCTIONS =
  'This server has many tools. Find one with search_tools, read its parameters with describe_tool, and call it with call_tool.';

export interface ToolSearch {
  /** Result of `search_tools` or `describe_tool`; an invalid request is a result with `isError`. */
  answer(name: typeof SEARCH_TOOL | typeof DESCRIBE_TOOL, args: unknown): Result;
}

/** The index is built at the first search. */
function createToolSearch(tools: readonly AgentTool[]): ToolSearch {
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
