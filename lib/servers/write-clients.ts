import { stringify as stringifyToml } from 'smol-toml';
import { stringify as stringifyYaml } from 'yaml';
import type { ExportedServers, ServerClient, ServerConfig } from '#lib/contract/servers.ts';
import { mapTexts } from './read-clients.ts';

/**
 * Writes servers as the configuration of another client. Secrets are never written: each becomes the client's own way to get a
 * value from the user or the environment.
 */
export interface NamedServer {
  readonly name: string;
  readonly config: ServerConfig;
}

const PLACES: Readonly<Record<ServerClient, string>> = {
  'claude-desktop': 'claude_desktop_config.json',
  'claude-code': '.mcp.json',
  cursor: '.cursor/mcp.json',
  vscode: '.vscode/mcp.json',
  windsurf: '~/.codeium/windsurf/mcp_config.json',
  goose: '~/.config/goose/config.yaml',
  codex: '~/.codex/config.toml',
};

const SECRET = /\$\{secret:([^}]+)\}/g;
const VARIABLE = /\$\{(?:env:)?([A-Za-z_]\w*)\}/g;

export function writeClientServers(client: ServerClient, servers: readonly NamedServer[]): ExportedServers {
  const warnings: string[] = [];
  const text = render(client, servers, warnings);
  return { client, file: PLACES[client], text, warnings };
}

function render(client: ServerClient, servers: readonly NamedServer[], warnings: string[]): string {
  switch (client) {
    case 'goose':
      return stringifyYaml({ extensions: Object.fromEntries(servers.map((server) => [server.name, forGoose(server, warnings)])) });
    case 'codex':
      return `${stringifyToml({ mcp_servers: Object.fromEntries(servers.map((server) => [server.name, forCodex(server, warnings)])) })}\n`;
    case 'vscode': {
      const ids = new Set<string>();
      const list = Object.fromEntries(servers.map((server) => [server.name, forVsCode(server, ids)]));
      const inputs = [...ids].map((id) => ({ type: 'promptString', id, description: id, password: true }));
      return json({ ...(inputs.length === 0 ? {} : { inputs }), servers: list });
    }
    case 'windsurf':
      return json({ mcpServers: Object.fromEntries(servers.map(({ name, config }) => [name, forWindsurf(config)])) });
    case 'cursor':
      return json({ mcpServers: Object.fromEntries(servers.map(({ name, config }) => [name, withVariables(plain(config), 'env:')])) });
    case 'claude-code':
      return json({
        mcpServers: Object.fromEntries(
          servers.map(({ name, config }) => [name, { ...withType(config), ...withVariables(plain(config), '') }]),
        ),
      });
    case 'claude-desktop':
      return json({ mcpServers: Object.fromEntries(servers.map((server) => [server.name, forClaudeDesktop(server, warnings)])) });
  }
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** Without what only Switchboard reads. */
function plain({
  prefix: _prefix,
  timeout: _timeout,
  disabled: _disabled,
  type: _type,
  keepAlive: _keepAlive,
  ...config
}: ServerConfig): ServerConfig {
  return config;
}

function withType({ type, url }: ServerConfig): ServerConfig {
  return url === undefined ? {} : { type: type === 'sse' ? 'sse' : 'http' };
}

function withVariables(config: ServerConfig, before: string): ServerConfig {
  return mapTexts(config, (text) =>
    text.replaceAll(SECRET, (_, name: string) => `\${${before}${name}}`).replaceAll(VARIABLE, `\${${before}$1}`),
  );
}

function forVsCode({ config }: NamedServer, ids: Set<string>): ServerConfig {
  const asked = mapTexts(plain(config), (text) =>
    text
      .replaceAll(SECRET, (_, name: string) => {
        ids.add(name);
        return `\${input:${name}}`;
      })
      .replaceAll('${WORKSPACE_ROOT}', '${workspaceFolder}')
      .replaceAll(/\$\{([A-Z_][A-Z0-9_]*)\}/g, '${env:$1}'),
  );
  return { type: config['url'] === undefined ? 'stdio' : config['type'] === 'sse' ? 'sse' : 'http', ...asked };
}

function forWindsurf(config: ServerConfig): ServerConfig {
  const { url, ...rest } = withVariables(plain(config), 'env:');
  return { ...(url === undefined ? {} : { serverUrl: url }), ...rest, ...(config['disabled'] === true ? { disabled: true } : {}) };
}

/** It replaces no variables, so each value must be typed in. */
function forClaudeDesktop({ name, config }: NamedServer, warnings: string[]): ServerConfig {
  const used = namesIn(config);
  if (used.length > 0)
    warnings.push(`${name}: Claude Desktop replaces no variables. Put the values of ${used.join(', ')} in their places.`);
  const named = mapTexts(plain(config), (text) => text.replaceAll(SECRET, '<$1>').replaceAll(VARIABLE, '<$1>'));
  if (config['url'] === undefined) return named;
  const headers = isTexts(named['headers']) ? Object.entries(named['headers']) : [];
  // Remote servers are not part of its file; mcp-remote connects them.
  return {
    command: 'npx',
    args: ['-y', 'mcp-remote', String(named['url']), ...headers.flatMap(([key, value]) => ['--header', `${key}:${value}`])],
  };
}

function forGoose({ name, config }: NamedServer, warnings: string[]): ServerConfig {
  const shared = {
    name,
    enabled: config['disabled'] !== true,
    ...(typeof config['timeout'] === 'number' ? { timeout: config['timeout'] } : {}),
  };
  const { secrets, values } = splitEnv(config['env']);
  const elsewhere = namesIn({ ...config, env: {} });
  if (elsewhere.length > 0)
    warnings.push(
      `${name}: goose replaces no variables outside of the environment. Put the values of ${elsewhere.join(', ')} in their places.`,
    );
  return config['url'] === undefined
    ? { type: 'stdio', ...shared, cmd: config['command'], args: config['args'] ?? [], envs: values, env_keys: secrets }
    : {
        type: config['type'] === 'sse' ? 'sse' : 'streamable_http',
        ...shared,
        uri: config['url'],
        headers: config['headers'] ?? {},
        envs: {},
        env_keys: [],
      };
}

function forCodex({ name, config }: NamedServer, warnings: string[]): ServerConfig {
  const shared = {
    ...(config['disabled'] === true ? { enabled: false } : {}),
    ...(typeof config['timeout'] === 'number' ? { tool_timeout_sec: config['timeout'] } : {}),
  };
  if (config['url'] === undefined) {
    const { secrets, values } = splitEnv(config['env']);
    const { command, args, cwd } = config;
    const elsewhere = namesIn({ command, args, cwd });
    if (elsewhere.length > 0)
      warnings.push(`${name}: Codex replaces no variables. Put the values of ${elsewhere.join(', ')} in their places.`);
    return {
      command,
      ...(args === undefined ? {} : { args }),
      ...(cwd === undefined ? {} : { cwd }),
      ...(Object.keys(values).length === 0 ? {} : { env: values }),
      ...(secrets.length === 0 ? {} : { env_vars: secrets }),
      ...shared,
    };
  }
  const fixed: Record<string, string> = {};
  const byVariable: Record<string, string> = {};
  let token: string | null = null;
  for (const [key, value] of Object.entries(isTexts(config['headers']) ? config['headers'] : {})) {
    const bearer = key.toLowerCase() === 'authorization' ? /^Bearer \$\{(?:secret:|env:)?(\w+)\}$/.exec(value)?.[1] : undefined;
    const whole = /^\$\{(?:secret:|env:)?(\w+)\}$/.exec(value)?.[1];
    if (bearer !== undefined) token = bearer;
    else if (whole !== undefined) byVariable[key] = whole;
    else fixed[key] = value;
  }
  return {
    url: config['url'],
    ...(token === null ? {} : { bearer_token_env_var: token }),
    ...(Object.keys(fixed).length === 0 ? {} : { http_headers: fixed }),
    ...(Object.keys(byVariable).length === 0 ? {} : { env_http_headers: byVariable }),
    ...shared,
  };
}

/** Variables whose value is one secret or variable, and the others. */
function splitEnv(env: unknown): { readonly secrets: readonly string[]; readonly values: Readonly<Record<string, string>> } {
  const entries = Object.entries(isTexts(env) ? env : {});
  const isAlone = (value: string): boolean => /^\$\{(?:secret:|env:)?\w+\}$/.test(value);
  return {
    secrets: entries.filter(([, value]) => isAlone(value)).map(([name]) => name),
    values: Object.fromEntries(entries.filter(([, value]) => !isAlone(value))),
  };
}

function namesIn(config: ServerConfig): readonly string[] {
  const text = JSON.stringify(config);
  return [...new Set([...text.matchAll(SECRET), ...text.matchAll(VARIABLE)].map(([, name = '']) => name))];
}

function isTexts(value: unknown): value is Record<string, string> {
  return typeof value === 'object' && value !== null && Object.values(value).every((one) => typeof one === 'string');
}
