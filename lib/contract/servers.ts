import * as z from 'zod';
import { withoutMark } from './byte-order-mark.ts';
import { extensionSchema } from './extension.ts';
import { LIMITS } from './limits.ts';

/** MCP servers in `mcp.json`: adding, testing, importing from other clients and exporting to them. */

export const SERVER_CLIENTS = ['claude-desktop', 'claude-code', 'cursor', 'vscode', 'windsurf', 'goose', 'codex'] as const;
export type ServerClient = (typeof SERVER_CLIENTS)[number];

/** Accepted spellings: `VS Code`, `vs-code` and `vscode` are one client. */
export function serverClientOf(text: string): ServerClient | null {
  const plain = text.toLowerCase().replaceAll(/[^a-z]/g, '');
  return SERVER_CLIENTS.find((client) => client.replaceAll('-', '') === plain) ?? null;
}

export const CLIENT_NAMES: Readonly<Record<ServerClient, string>> = {
  'claude-desktop': 'Claude Desktop',
  'claude-code': 'Claude Code',
  cursor: 'Cursor',
  vscode: 'VS Code',
  windsurf: 'Windsurf',
  goose: 'goose',
  codex: 'Codex',
};

/** Only the servers of a JSON file: histories in ~/.claude.json can be larger than a request. Other formats stay unchanged. */
export function serversIn(text: string, client: string): string {
  // YAML may be written as JSON.
  if (client === 'goose') return text;
  let file: unknown;
  try {
    file = JSON.parse(withoutMark(text));
  } catch {
    return text;
  }
  if (!isFields(file)) return text;
  const part = (value: unknown): Readonly<Record<string, unknown>> =>
    isFields(value) ? { mcpServers: value['mcpServers'], servers: value['servers'] } : {};
  const { mcp, projects } = file;
  const parts = Object.entries(isFields(projects) ? projects : {}).map(([folder, one]): [string, unknown] => [folder, part(one)]);
  return JSON.stringify({
    ...part(file),
    ...(mcp === undefined ? {} : { mcp: part(mcp) }),
    projects: Object.fromEntries(parts),
  });
}

function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An entry of `mcp.json`; the loader validates its members and names the faulty one. */
const serverConfigSchema = z.record(z.string().max(LIMITS.nameLength), z.unknown());
export type ServerConfig = z.infer<typeof serverConfigSchema>;

/** The address, or the command with its arguments. */
export function targetOf({ command, args, url }: ServerConfig): string {
  if (typeof url === 'string') return url;
  const words: readonly unknown[] = Array.isArray(args) ? args : [];
  return [command, ...words].map(String).join(' ');
}

export const serverSchema = z.object({
  name: z.string(),
  /** Relative to the extensions folder. */
  file: z.string(),
  config: serverConfigSchema,
  /** Null until it is loaded for the first time. */
  extension: extensionSchema.nullable(),
});
export type Server = z.infer<typeof serverSchema>;

export const serverListSchema = z.object({ servers: z.array(serverSchema) });

export const putServerSchema = z.strictObject({
  config: serverConfigSchema,
  /** Moves credentials in `env`, `headers`, `args` and `url` to the secret store. */
  take_secrets: z.boolean().default(false),
});

/** With the names of the secrets that were moved to the store. */
export const putServerResultSchema = serverSchema.extend({ secrets: z.array(z.string()) });
export type PutServerResult = z.infer<typeof putServerResultSchema>;

export const testServerSchema = z.strictObject({ config: serverConfigSchema });

export const serverTestSchema = z.object({
  ok: z.boolean(),
  duration_ms: z.number(),
  server: z.string().nullable(),
  tools: z.array(z.object({ name: z.string(), description: z.string() })),
  resources: z.number().int(),
  prompts: z.number().int(),
  instructions: z.string(),
  warnings: z.array(z.string()),
  log: z.array(z.string()),
  failure: z.object({ code: z.string(), message: z.string(), hint: z.string() }).nullable(),
});
export type ServerTest = z.infer<typeof serverTestSchema>;

export const importServersSchema = z.strictObject({
  /** A client of the list, or `auto`. */
  client: z.string().max(LIMITS.nameLength).default('auto'),
  text: z.string(),
  /** True: nothing is written. */
  preview: z.boolean().default(true),
  /** Only these, by their names in the preview; absent: all. */
  names: z.array(z.string()).max(LIMITS.serversImported).optional(),
});
export type ImportServers = z.infer<typeof importServersSchema>;

export const importedServersSchema = z.object({
  client: z.enum(SERVER_CLIENTS),
  servers: z.array(
    z.object({
      /** Unique here. */
      name: z.string(),
      /** In the file. */
      original_name: z.string(),
      config: serverConfigSchema,
      /** Names of the secrets that it uses. Values of the file are moved to the secret store. */
      secrets: z.array(z.string()),
      /** Secrets without a value in the file: they must be set. */
      missing_secrets: z.array(z.string()),
      /** Its name, as written, belongs to another extension. */
      conflict: z.boolean(),
      warnings: z.array(z.string()),
    }),
  ),
  /** Entries that cannot be imported, with the reason. */
  skipped: z.array(z.object({ name: z.string(), reason: z.string() })),
});
export type ImportedServers = z.infer<typeof importedServersSchema>;

export const exportedServersSchema = z.object({
  client: z.enum(SERVER_CLIENTS),
  /** Usual place of the file. */
  file: z.string(),
  text: z.string(),
  warnings: z.array(z.string()),
});
export type ExportedServers = z.infer<typeof exportedServersSchema>;

/** The sign-in of Switchboard, or of one of its members, at an MCP server. */
export const serverSignInSchema = z.object({
  /** `server`: one sign-in for all callers; `member`: one for each. */
  auth: z.enum(['server', 'member']),
  /** `none`: the server has not requested a sign-in. `needed`: it has, or it refused the last one. */
  state: z.enum(['none', 'needed', 'connected']),
  /** Scopes that the server has requested since; reconnecting requests them. */
  missing_scope: z.string().nullable(),
  /** Why the last sign-in failed. */
  problem: z.string().nullable(),
  /** Name of the person who signed in. */
  by: z.string().nullable(),
  since: z.iso.datetime().nullable(),
});
export type ServerSignIn = z.infer<typeof serverSignInSchema>;

export const signInBegunSchema = z.object({ authorization_url: z.url() });
export type SignInBegun = z.infer<typeof signInBegunSchema>;

/** The response to a process that requests a token. */
const serverTokenSchema = z.object({
  token: z.string().nullable(),
  /** Time of the sign-in; connections of an earlier one are no longer used. */
  since: z.number().nullable(),
  /** Why there is no token. */
  why: z.string().nullable(),
});
export type ServerToken = z.infer<typeof serverTokenSchema>;

/** A token request of a process. */
export const tokenAskSchema = z.object({
  /** '' for the token of the server, `*` for the token of any member. */
  member: z.string().max(100),
  /** The server refused this one. */
  refused: z.string().max(16_384).nullable(),
  /** The server requires more scopes (`insufficient_scope`). */
  scope: z.string().max(4_096).nullable(),
  /** The server has refused a request, perhaps one without a token. */
  isRefused: z.boolean().optional(),
});
export type TokenAsk = z.infer<typeof tokenAskSchema>;

/** Switchboard as a client of other authorization servers. */
export function ownClientMetadata(callback: string) {
  return {
    client_name: 'Switchboard',
    redirect_uris: [callback],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
  };
}
