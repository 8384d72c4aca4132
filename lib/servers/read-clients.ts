import { parse as parseJson } from 'jsonc-parser';
import type { ParseError } from 'jsonc-parser';
import { parse as parseToml } from 'smol-toml';
import { parse as parseYaml } from 'yaml';
import { withoutMark } from '#lib/contract/byte-order-mark.ts';
import { CLIENT_NAMES, type ServerClient, type ServerConfig } from '#lib/contract/servers.ts';

/**
 * Reads the servers in the configuration files of MCP clients and writes them as entries of `mcp.json`. What can go wrong: the file
 * is another client's or invalid (one reason), an entry is not a server or has a form that only its client runs (skipped, with the
 * reason), a key is unknown to Switchboard (a warning), a placeholder prompts the user (it becomes a secret).
 */
export interface FoundServer {
  readonly name: string;
  readonly config: ServerConfig;
  readonly warnings: readonly string[];
}

export type ReadServers =
  | {
      readonly ok: true;
      readonly client: ServerClient;
      readonly servers: readonly FoundServer[];
      readonly skipped: readonly { readonly name: string; readonly reason: string }[];
    }
  | { readonly ok: false; readonly reason: string };

type Fields = Readonly<Record<string, unknown>>;

export function readClientServers(client: ServerClient | 'auto', text: string): ReadServers {
  const known = client === 'auto' ? detectClient(text) : client;
  const parsed = parseText(known, withoutMark(text));
  if (!parsed.ok) return parsed;
  const { value } = parsed;
  const entries = isFields(value) ? entriesOf(known, value) : null;
  if (entries === null) return { ok: false, reason: `The text has no servers of ${CLIENT_NAMES[known]}: it needs ${SHAPES[known]}.` };
  const servers: FoundServer[] = [];
  const skipped: { name: string; reason: string }[] = [];
  for (const [name, entry] of entries) {
    const found = isFields(entry) ? readEntry(known, name, entry) : 'The entry is not an object.';
    if (typeof found === 'string') skipped.push({ name, reason: found });
    else servers.push(found);
  }
  return { ok: true, client: known, servers, skipped };
}

const SHAPES: Readonly<Record<ServerClient, string>> = {
  'claude-desktop': '`mcpServers`',
  'claude-code': '`mcpServers`',
  cursor: '`mcpServers`',
  vscode: '`servers`, or `mcp.servers` in settings.json',
  windsurf: '`mcpServers`',
  goose: '`extensions`',
  codex: '`[mcp_servers.<name>]`',
};

function detectClient(text: string): ServerClient {
  const plain = withoutMark(text).trimStart();
  if (/^\s*\[+\s*mcp_servers\b/m.test(plain)) return 'codex';
  if (!plain.startsWith('{') && !plain.startsWith('/') && /^extensions\s*:/m.test(plain)) return 'goose';
  if (/"serverUrl"\s*:/.test(plain)) return 'windsurf';
  if (!/"mcpServers"\s*:/.test(plain) && /"servers"\s*:/.test(plain)) return 'vscode';
  return 'claude-code';
}

function parseText(
  client: ServerClient,
  text: string,
): { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly reason: string } {
  const name = CLIENT_NAMES[client];
  try {
    if (client === 'codex') return { ok: true, value: parseToml(text) };
    if (client === 'goose') return { ok: true, value: parseYaml(text) };
  } catch (error) {
    const [first = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
    return { ok: false, reason: `The text is not ${client === 'codex' ? 'TOML' : 'YAML'}, as ${name} writes it: ${first}` };
  }
  const errors: ParseError[] = [];
  const value: unknown = parseJson(text, errors, { allowTrailingComma: true, allowEmptyContent: true });
  const [error] = errors;
  if (error === undefined) return { ok: true, value };
  const before = text.slice(0, error.offset).split('\n');
  const place = `line ${before.length}, column ${(before.at(-1) ?? '').length + 1}`;
  return { ok: false, reason: `Invalid JSON at ${place}.` };
}

/** Null: the file has none, so it is not a file of this client. */
function entriesOf(client: ServerClient, file: Fields): readonly (readonly [string, unknown])[] | null {
  const list = (value: unknown): readonly (readonly [string, unknown])[] | null => (isFields(value) ? Object.entries(value) : null);
  switch (client) {
    case 'vscode': {
      const settings = isFields(file['mcp']) ? file['mcp'] : file;
      return list(settings['servers'] ?? file['mcpServers']);
    }
    case 'goose':
      return list(file['extensions']);
    case 'codex':
      return list(file['mcp_servers']);
    case 'claude-code': {
      // ~/.claude.json has servers of the user, and of each project.
      const projects = isFields(file['projects']) ? Object.values(file['projects']) : [];
      const all = [file, ...projects].map((part) => list(isFields(part) ? part['mcpServers'] : undefined));
      return all.every((part) => part === null) ? null : all.flatMap((part) => part ?? []);
    }
    default:
      return list(file['mcpServers']);
  }
}

function readEntry(client: ServerClient, name: string, entry: Fields): FoundServer | string {
  const read = client === 'goose' ? readGoose(entry) : client === 'codex' ? readCodex(entry) : readJsonEntry(client, entry);
  if (typeof read === 'string') return read;
  const { fields, known } = read;
  const hasTarget = fields['command'] !== undefined || fields['url'] !== undefined;
  if (!hasTarget) return 'The entry has neither a command nor an address.';
  const config = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && !isEmpty(value)));
  const unread = Object.keys(entry).filter((key) => !known.includes(key));
  const warnings = unread.map((key) => `\`${key.slice(0, 80)}\` has no meaning in Switchboard and was left out.`);
  return { name, config: mapTexts(config, placeholderFor(client)), warnings };
}

interface Entry {
  readonly fields: Fields;
  /** Keys that were read, or need no warning. */
  readonly known: readonly string[];
}

const COMMON = ['command', 'args', 'env', 'cwd', 'url', 'headers', 'type', 'timeout', 'disabled', 'prefix'];

function readJsonEntry(client: ServerClient, entry: Fields): Entry {
  const { command, args, env, cwd, headers, type, timeout, prefix, disabled } = entry;
  const url = entry['url'] ?? (client === 'windsurf' ? (entry['serverUrl'] ?? entry['serverURL']) : undefined);
  const isDisabled = disabled === true || entry['enabled'] === false;
  const isSse = type === 'sse';
  return {
    fields: {
      command,
      args,
      env: texts(env),
      cwd,
      url,
      headers: texts(headers),
      ...(isSse ? { type } : {}),
      timeout: typeof timeout === 'number' && timeout > 3_600 ? timeout / 1_000 : timeout,
      prefix,
      ...(isDisabled ? { disabled: true } : {}),
    },
    known: [...COMMON, 'enabled', ...(client === 'windsurf' ? ['serverUrl', 'serverURL'] : []), 'gallery', 'version'],
  };
}

const GOOSE_TYPES: Readonly<Record<string, 'stdio' | 'http' | 'sse'>> = { stdio: 'stdio', streamable_http: 'http', sse: 'sse' };

function readGoose(entry: Fields): Entry | string {
  const type = typeof entry['type'] === 'string' ? entry['type'] : '';
  const kind = Object.hasOwn(GOOSE_TYPES, type) ? GOOSE_TYPES[type] : undefined;
  if (kind === undefined) return `It is an extension of the type ${type || 'unknown'}, which only goose itself runs.`;
  const named = Array.isArray(entry['env_keys']) ? entry['env_keys'].filter((key) => typeof key === 'string') : [];
  const env = { ...Object.fromEntries(named.map((key) => [key, `\${secret:${key}}`])), ...texts(entry['envs']) };
  const headers = Object.entries(texts(entry['headers'])).map(([name, value]) => [name, withVariables(value, env)]);
  const timeout = typeof entry['timeout'] === 'number' ? entry['timeout'] : undefined;
  const shared = { timeout, ...(entry['enabled'] === false ? { disabled: true } : {}) };
  const known = [
    'type',
    'cmd',
    'args',
    'envs',
    'env_keys',
    'uri',
    'headers',
    'timeout',
    'enabled',
    'name',
    'display_name',
    'description',
    'bundled',
  ];
  return kind === 'stdio'
    ? { fields: { command: entry['cmd'], args: entry['args'], env, ...shared }, known }
    : { fields: { url: entry['uri'], headers: Object.fromEntries(headers), ...(kind === 'sse' ? { type: 'sse' } : {}), ...shared }, known };
}

/** In headers, as goose replaces `$NAME` and `${NAME}`: those of the entry only. */
function withVariables(text: string, values: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\$(?:\{\s*([A-Za-z_]\w*)\s*\}|([A-Za-z_]\w*))/g, (written: string, braced?: string, plain?: string) => {
    const name = braced ?? plain ?? '';
    return Object.hasOwn(values, name) ? (values[name] ?? '') : written;
  });
}

function readCodex(entry: Fields): Entry {
  const token = entry['bearer_token_env_var'];
  const listed: readonly unknown[] = Array.isArray(entry['env_vars']) ? entry['env_vars'] : [];
  // A name, or a table with its name and where Codex finds it.
  const passed = listed.map((one) => (isFields(one) ? one['name'] : one)).filter((name) => typeof name === 'string');
  const headers = {
    ...texts(entry['http_headers']),
    ...Object.fromEntries(Object.entries(texts(entry['env_http_headers'])).map(([name, variable]) => [name, `\${secret:${variable}}`])),
    ...(typeof token === 'string' ? { Authorization: `Bearer \${secret:${token}}` } : {}),
  };
  return {
    fields: {
      command: entry['command'],
      args: entry['args'],
      env: { ...Object.fromEntries(passed.map((name) => [name, `\${secret:${name}}`])), ...texts(entry['env']) },
      cwd: entry['cwd'],
      url: entry['url'],
      headers,
      timeout: entry['tool_timeout_sec'],
      ...(entry['enabled'] === false ? { disabled: true } : {}),
    },
    known: [
      'command',
      'args',
      'env',
      'env_vars',
      'cwd',
      'url',
      'bearer_token_env_var',
      'http_headers',
      'env_http_headers',
      'tool_timeout_sec',
      'startup_timeout_sec',
      'startup_timeout_ms',
      'enabled',
    ],
  };
}

/** Values may be numbers and booleans in YAML and TOML. */
function texts(value: unknown): Record<string, string> {
  if (!isFields(value)) return {};
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, one]): [string, string][] =>
      typeof one === 'string' || typeof one === 'number' || typeof one === 'boolean' ? [[name, String(one)]] : [],
    ),
  );
}

/** Converts placeholders of the client to those of Switchboard. */
function placeholderFor(client: ServerClient): (text: string) => string {
  const renamed = (text: string): string =>
    text
      .replaceAll('${workspaceFolder}', '${WORKSPACE_ROOT}')
      .replaceAll('${userHome}', '${HOME}')
      .replaceAll(/\$\{input:([^}]+)\}/g, (_, id: string) => `\${secret:${secretNameOf(id)}}`);
  return client === 'goose' || client === 'codex' ? (text) => text : renamed;
}

/** `github-token` → `GITHUB_TOKEN`. */
export function secretNameOf(text: string): string {
  const name = text
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]+/g, '_')
    .replaceAll(/^_+|_+$/g, '')
    .slice(0, 64);
  return /^[A-Z_]/.test(name) ? name : `SECRET_${name}`.slice(0, 64);
}

/** Applies to every text of a value; names stay unchanged. */
export function mapTexts(value: ServerConfig, change: (text: string) => string): ServerConfig {
  const walk = (one: unknown): unknown => {
    if (typeof one === 'string') return change(one);
    if (Array.isArray(one)) return one.map(walk);
    return isFields(one) ? Object.fromEntries(Object.entries(one).map(([name, member]) => [name, walk(member)])) : one;
  };
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, walk(member)]));
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) ? value.length === 0 : isFields(value) && Object.keys(value).length === 0;
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}
