import { z } from 'zod';
import type { AuditDetail } from '#lib/contract/audit.ts';
import type { McpHeaders } from '#lib/contract/mcp-exchange.ts';
import type { Problem } from '#lib/contract/result.ts';
import type { Host } from '#lib/host/host.ts';
import { AUTHORING_TOOLS } from './authoring-tools.ts';
import type { AuthoringTool } from './authoring-tools.ts';

/**
 * Tools by which agents write extensions, enabled by MCP_AUTHORING. They run code as the user of this server, so each call
 * requires the admin token if one is set, wrong tokens count as in the API, and calls are logged with the name of the client.
 */
export interface Authoring {
  readonly listed: readonly Readonly<Record<string, unknown>>[];
  has(name: string): boolean;
  /** The `result` of `tools/call`. */
  call(name: string, args: Readonly<Record<string, unknown>>, caller: AuthoringCaller): Promise<AuthoringResult>;
}

export interface AuthoringCaller {
  readonly headers: McpHeaders;
  readonly clientName: string | null;
}

type AuthoringResult = Record<string, unknown>;

/** In the instructions for agents. */
export const AUTHORING_INSTRUCTIONS =
  'switchboard:\nYou can write the extensions of this server: switchboard_write_file loads what it writes at once and answers why it failed. Read a file before you change it, and name the hash it had. A new tool appears in tools/list as soon as its extension is ready.';

/** Null if disabled: then the tool names are unknown. */
export function createAuthoring(host: Host): Authoring | null {
  if (!host.config.mcpAuthoring) return null;
  const tools = new Map<string, AuthoringTool>(AUTHORING_TOOLS.map((tool) => [tool.name, tool]));
  return {
    listed: AUTHORING_TOOLS.map(({ name, title, description, annotations, parameters }) => ({
      name,
      title,
      description,
      inputSchema: z.toJSONSchema(parameters, { io: 'input' }),
      annotations,
    })),
    has: (name) => tools.has(name),
    async call(name, args, { headers, clientName }) {
      const subject = args['path'] ?? args['extension'];
      const allowed = await headers.authorize('extensions.edit', typeof subject === 'string' ? subject : null);
      if (!allowed.ok) return failed(refusalText(allowed.problem));
      const tool = tools.get(name);
      if (tool === undefined) throw new Error(`${name} is no tool for authors`);
      const actor = headers.caller.actor ?? clientName;
      const about = typeof subject === 'string' ? { subject: subject.slice(0, 200) } : {};
      host.logger.info('An agent works on extensions', {
        tool: name,
        client: clientName,
        ...(headers.caller.actor === null ? {} : { actor }),
        ...about,
      });
      const done = await tool.run(args, host, { name: actor });
      if (tool.annotations['readOnlyHint'] !== true)
        headers.tell('extensions.edit', typeof subject === 'string' ? subject : null, done.ok ? 'done' : 'failed', {
          tool: name,
          ...(clientName === null ? {} : { client: clientName }),
          ...hashesOf(args, done.ok ? done.value : {}),
          ...(done.ok ? {} : { problem: done.problem.code }),
        });
      if (!done.ok) return failed(inOwnWords(done.problem.detail));
      return { content: [{ type: 'text', text: JSON.stringify(done.value) }], structuredContent: done.value };
    },
  };
}

/** With accounts, the message already names the required role. */
function refusalText({ code, detail }: Problem): string {
  return code === 'admin_token_invalid' ? `${detail}: send the admin token in the header x-admin-token.` : detail;
}

/** Hashes before and after: enough to find the revision, without the text. */
function hashesOf(args: Readonly<Record<string, unknown>>, value: Readonly<Record<string, unknown>>): AuditDetail {
  const before = args['expected_hash'];
  const { hash } = value;
  return { ...(typeof before === 'string' ? { before } : {}), ...(typeof hash === 'string' ? { hash } : {}) };
}

/** Replaces API endpoints by the tools that an agent has. */
function inOwnWords(detail: string): string {
  return detail
    .replace(/GET \/api\/v1\/extensions\/\{id\}\/undo /, 'switchboard_undo_files without files ')
    .replace(/ GET \/api\/v1\/extensions\/\{id\} lists its revisions\./, '')
    .replace(/GET \/api\/v1\/extensions lists/, 'switchboard_check_extensions lists');
}

function failed(text: string): AuthoringResult {
  return { content: [{ type: 'text', text }], isError: true };
}
