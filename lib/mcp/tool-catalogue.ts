import type { Host } from '#lib/host/host.ts';
import { agentTool } from '#lib/contract/agent-view.ts';
import { AUTHORING_INSTRUCTIONS } from './authoring.ts';
import type { Authoring } from './authoring.ts';
import { readHeaderParameters } from './header-parameters.ts';
import type { HeaderParameter } from './header-parameters.ts';
import { META } from './protocol.ts';

/**
 * The tools as clients see them, made once for a snapshot and kept as the bytes that answer `tools/list`: neither a list
 * nor a call costs more because there are many tools. What can go wrong: a set that is shown longer than it is true.
 * So each event that tells of another set drops what was made of the old one, and while the first load goes on nothing is kept.
 */
export interface ToolCatalogue {
  readonly tools: ReadonlyMap<string, CatalogueTool>;
  /** The `result` of `tools/list` in each generation of the protocol, as bytes of JSON. */
  readonly legacyList: Uint8Array;
  readonly modernList: Uint8Array;
  /** Those of all extensions, one after the other; '' when there are none. */
  readonly instructions: string;
}

export interface CatalogueTool {
  /** A tool of an MCP server: its results are in the form of the protocol already. */
  readonly isRemote: boolean;
  readonly hasOutputSchema: boolean;
  /** Parameters that a client repeats in headers. */
  readonly headerParameters: readonly HeaderParameter[];
}

export interface ServerInfo {
  readonly name: string;
  readonly title: string;
  readonly version: string;
}

export interface Catalogues {
  current(): ToolCatalogue;
  close(): void;
}

/** `onChange` is told when what clients are shown may have become another. */
export function createCatalogues(host: Host, server: ServerInfo, authoring: Authoring | null, onChange: () => void): Catalogues {
  let made: ToolCatalogue | null = null;
  let isLoaded = false;
  const drop = (): void => {
    made = null;
    onChange();
  };
  host.ready.then(
    () => {
      isLoaded = true;
      drop();
    },
    // A first load that fails ends the server, which says so.
    () => undefined,
  );
  const unsubscribe = host.events.subscribe(drop, ['snapshot.changed', 'host.resync']);
  return {
    current() {
      if (made !== null) return made;
      const fresh = makeCatalogue(host, server, authoring);
      if (isLoaded) made = fresh;
      return fresh;
    },
    close: unsubscribe,
  };
}

function makeCatalogue(host: Host, server: ServerInfo, authoring: Authoring | null): ToolCatalogue {
  const { extensions } = host.extensions.list();
  const remote = new Set(extensions.filter(({ runtime }) => runtime === 'mcp').map(({ id }) => id));
  const known = host.tools.list().tools;
  // Where agents may write extensions, the names of those tools are theirs.
  const own = authoring?.listed ?? [];
  const listed = known.filter(({ available, name }) => available && authoring?.has(name) !== true);
  const cached = { ttlMs: 0, cacheScope: 'private', resultType: 'complete', _meta: { [META.serverInfo]: server } };
  return {
    tools: new Map(
      known.map((tool) => [
        tool.name,
        {
          isRemote: remote.has(tool.extension),
          hasOutputSchema: tool.output_schema !== null,
          headerParameters: readHeaderParameters(tool.parameters),
        },
      ]),
    ),
    legacyList: Buffer.from(JSON.stringify({ tools: [...own, ...listed.map((tool) => agentTool(tool, false))] })),
    modernList: Buffer.from(JSON.stringify({ tools: [...own, ...listed.map((tool) => agentTool(tool, true))], ...cached })),
    instructions: [
      ...(authoring === null ? [] : [AUTHORING_INSTRUCTIONS]),
      ...extensions
        .filter(({ state, instructions }) => (state === 'ready' || state === 'degraded') && instructions.trim() !== '')
        .map(({ id, instructions }) => `${id}:\n${instructions.trim()}`),
    ].join('\n\n'),
  };
}
