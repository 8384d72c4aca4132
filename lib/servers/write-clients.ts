import { stringify as stringifyToml } from 'smol-toml';
import { stringify as stringifyYaml } from 'yaml';
import { applyEdits, type FormattingOptions, modify } from 'jsonc-parser';
import type { ExportedServers, ServerClient, ServerConfig } from '#lib/contract/servers.ts';
import { withoutMark } from '#lib/contract/byte-order-mark.ts';
import { secretTextsIn } from '#lib/contract/secret-texts.ts';
import { mapTexts, secretNameOf } from './read-clients.ts';

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

/** Without the fields that only Switchboard reads. */
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

/** It expands no variables, so the user must enter each value. */
function forClaudeDesktop({ name, config }: NamedServer, warnings: string[]): ServerConfig {
  const used = namesIn(config);
  if (used.length > 0) warnings.push(`${name}: Claude Desktop expands no variables. Put the values of ${used.join(', ')} in their places.`);
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
      `${name}: goose expands no variables outside of the environment. Put the values of ${elsewhere.join(', ')} in their places.`,
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
      warnings.push(`${name}: Codex expands no variables. Put the values of ${elsewhere.join(', ')} in their places.`);
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
  const isPlaceholder = (value: string): boolean => /^\$\{(?:secret:|env:)?\w+\}$/.test(value);
  return {
    secrets: entries.filter(([, value]) => isPlaceholder(value)).map(([name]) => name),
    values: Object.fromEntries(entries.filter(([, value]) => !isPlaceholder(value))),
  };
}

function namesIn(config: ServerConfig): readonly string[] {
  const text = JSON.stringify(config);
  return [...new Set([...text.matchAll(SECRET), ...text.matchAll(VARIABLE)].map(([, name = '']) => name))];
}

function isTexts(value: unknown): value is Record<string, string> {
  return typeof value === 'object' && value !== null && Object.values(value).every((one) => typeof one === 'string');
}

/** Changes servers in the text of an `mcp.json`, and leaves the rest unchanged. */

const KEY = 'mcpServers';

/** @param changes null removes a server */
export function changeServerList(text: string | null, changes: Readonly<Record<string, ServerConfig | null>>): string {
  const before = text === null || withoutMark(text).trim() === '' ? `{\n  "${KEY}": {}\n}\n` : withoutMark(text);
  const formattingOptions = formattingOf(before);
  return Object.entries(changes).reduce(
    (changed, [name, config]) => applyEdits(changed, modify(changed, [KEY, name], config ?? undefined, { formattingOptions })),
    before,
  );
}

/** The text of a file with one server. */
export function changeServerFile(text: string, config: ServerConfig): string {
  const formattingOptions = formattingOf(text);
  return applyEdits(withoutMark(text), modify(withoutMark(text), [], config, { formattingOptions }));
}

function formattingOf(text: string): FormattingOptions {
  const indent = /\n([ \t]+)\S/.exec(text)?.[1] ?? '  ';
  return {
    insertSpaces: !indent.startsWith('\t'),
    tabSize: indent.startsWith('\t') ? 1 : indent.length,
    eol: text.includes('\r\n') ? '\r\n' : '\n',
  };
}

/** Replaces credentials in an entry by `${secret:NAME}`. */
interface ExtractedSecrets {
  readonly config: ServerConfig;
  /** By name. */
  readonly values: ReadonlyMap<string, string>;
}

interface ExtractSecretsOptions {
  readonly server: string;
  /** Which texts of a variable or header are secret; the value itself if all of it is. */
  secretsOf(name: string, value: string): readonly string[];
  /** Whether this name can have this value: it is unused, or already has this value. */
  isFree(name: string, value: string): boolean;
}

export function extractSecrets(config: ServerConfig, { server, secretsOf, isFree }: ExtractSecretsOptions): ExtractedSecrets {
  const values = new Map<string, string>();
  const before = secretNameOf(server);

  /** The placeholder of a value. `wanted` is preferred as name, then with the name of the server. */
  const store = (wanted: string, value: string): string => {
    const names = [wanted, `${before}_${wanted}`.slice(0, 60)];
    for (let number = 2; number < 1_000; number += 1) names.push(`${before.slice(0, 28)}_${wanted.slice(0, 28)}_${number}`);
    const name = names.find((one) => (values.has(one) ? values.get(one) === value : isFree(one, value))) ?? wanted;
    values.set(name, value);
    return `\${secret:${name}}`;
  };

  const inTexts = (text: string, wanted: string, secrets: readonly string[]): string =>
    secrets
      .filter((secret) => secret !== '' && !secret.includes('${'))
      .toSorted((one, other) => other.length - one.length)
      .reduce((changed, secret) => (changed.includes(secret) ? changed.replaceAll(secret, store(wanted, secret)) : changed), text);

  const members = (fields: unknown, wantedOf: (name: string) => string): Record<string, unknown> | undefined => {
    if (!isFields(fields)) return undefined;
    return Object.fromEntries(
      Object.entries(fields).map(([name, value]) => {
        if (typeof value !== 'string' || value.includes('${')) return [name, value];
        const scheme = /^(Bearer|Basic|Token|ApiKey) (\S+)$/i.exec(value);
        if (scheme !== null) return [name, `${scheme[1]} ${store(wantedOf(name), scheme[2] ?? '')}`];
        const secrets = secretsOf(name, value);
        return [name, secrets.includes(value) ? store(wantedOf(name), value) : inTexts(value, wantedOf(name), secrets)];
      }),
    );
  };

  const { env, headers, args, url } = config;
  const changed = {
    ...config,
    ...(env === undefined ? {} : { env: members(env, secretNameOf) ?? env }),
    ...(headers === undefined
      ? {}
      : {
          headers:
            members(headers, (name) => (/^authorization$/i.test(name) ? `${before}_TOKEN` : `${before}_${secretNameOf(name)}`)) ?? headers,
        }),
    ...(Array.isArray(args)
      ? {
          args: args.map((arg: unknown, at) => {
            if (typeof arg !== 'string') return arg;
            const previous: unknown = args[at - 1];
            const pair = typeof previous === 'string' ? `${previous} ${arg}` : arg;
            return inTexts(arg, `${before}_ARGUMENT`, [
              ...secretTextsIn(arg),
              ...secretTextsIn(pair).filter((secret) => arg.endsWith(secret)),
            ]);
          }),
        }
      : {}),
    ...(typeof url === 'string' ? { url: inTexts(url, `${before}_TOKEN`, secretTextsIn(url)) } : {}),
  };
  return { config: changed, values };
}

function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
