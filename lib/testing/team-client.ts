import type { AuditEntry } from '#lib/contract/audit.ts';
import { auditPageSchema } from '#lib/contract/audit.ts';
import { madeTokenSchema } from '#lib/contract/token.ts';
import type { MadeToken } from '#lib/contract/token.ts';
import { startHost } from './living-host.ts';
import type { LivingHost } from './living-host.ts';
import { serveHost } from './serve-host.ts';
import { makeTeam, type Team, TEAM } from './team.ts';

/** A team server with its members, and requests with a member's cookie or a token. */
export interface TeamServer {
  readonly living: LivingHost;
  readonly team: Team;
  readonly url: string;
  ask(path: string, asked?: Asked): Promise<Response>;
  /** By default as the first admin. */
  makeToken(more?: Readonly<Record<string, unknown>>, cookie?: string): Promise<MadeToken>;
  /** A message of an agent; sends `initialize` first if it needs a session. */
  rpc(token: string, method: string, params?: unknown, headers?: Readonly<Record<string, string>>): Promise<Response>;
  /** Audit entries, by a query of the API. */
  audited(query: string): Promise<AuditEntry[]>;
  close(): Promise<void>;
}

/** Default: POST with a body, else GET. */
export interface Asked {
  readonly method?: string;
  readonly token?: string;
  readonly cookie?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

export const INITIALIZE = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'agent', version: '1' } };

export async function serveTeam(files: Readonly<Record<string, string>>): Promise<TeamServer> {
  const living = await startHost(files, { team: TEAM, mcpAuthoring: true });
  const served = await serveHost(living.host);
  const team = await makeTeam(living.host);
  let nextId = 0;

  const ask: TeamServer['ask'] = (path, { method, token, cookie, body, headers = {}, signal } = {}) =>
    fetch(`${served.url}${path}`, {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      redirect: 'manual',
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(cookie === undefined ? {} : { cookie }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    });

  return {
    living,
    team,
    url: served.url,
    ask,
    async makeToken(more = {}, cookie = team.admin.cookie) {
      const answer = await ask('/api/v1/tokens', { cookie, body: { name: 'nightly', role: 'admin', ...more } });
      return madeTokenSchema.parse(await answer.json());
    },
    rpc: (token, method, params = {}, headers = {}) =>
      ask('/mcp', { token, body: { jsonrpc: '2.0', id: (nextId += 1), method, params }, headers }),
    async audited(query) {
      const answer = await ask(`/api/v1/audit?${query}`, { cookie: team.admin.cookie });
      return auditPageSchema.parse(await answer.json()).entries;
    },
    async close() {
      await served.close();
      await living.remove();
    },
  };
}
