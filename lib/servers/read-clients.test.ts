import { describe, expect, it } from 'vitest';
import { type ServerClient, serverClientOf } from '#lib/contract/servers.ts';
import { CLIENT_FILES } from './client-files-for-tests.ts';
import { readClientServers, secretNameOf } from './read-clients.ts';

function read(client: ServerClient) {
  const found = readClientServers(client, CLIENT_FILES[client]);
  if (!found.ok) throw new Error(found.reason);
  return { ...found, configs: Object.fromEntries(found.servers.map(({ name, config }) => [name, config])) };
}

describe('the servers in the file of', () => {
  it('Claude Desktop, with a byte order mark', () => {
    expect(read('claude-desktop').configs).toEqual({
      filesystem: { command: 'npx', args: ['-y', '@modelcontextprotocol/server-filesystem', '/Users/ada/Documents'] },
      'GitHub (work)': {
        command: 'docker',
        args: ['run', '-i', '--rm', '-e', 'GITHUB_PERSONAL_ACCESS_TOKEN', 'ghcr.io/github/github-mcp-server'],
        env: { GITHUB_PERSONAL_ACCESS_TOKEN: 'ghp_0123456789abcdefghijABCDEFGHIJ012345' },
      },
    });
  });

  it('Claude Code, of the user and of each project', () => {
    expect(read('claude-code').configs).toEqual({
      linear: { url: 'https://mcp.linear.app/sse', type: 'sse' },
      db: { command: 'npx', args: ['-y', '@bytebase/dbhub', '--dsn', 'postgres://ada:s3cr3tpassw0rd@db.example.com:5432/main'] },
      api: { url: '${API_BASE:-https://api.example.com}/mcp', headers: { Authorization: 'Bearer ${API_KEY}' } },
    });
  });

  it('Cursor, with comments and trailing commas', () => {
    const { configs, servers } = read('cursor');
    expect(configs).toEqual({
      figma: { url: 'http://127.0.0.1:3845/mcp', headers: { 'X-Figma-Token': 'figd_A1b2C3d4E5f6G7h8I9j0K1l2M3n4' } },
      py: { command: 'python', args: ['${WORKSPACE_ROOT}/server.py'], env: { API_KEY: '${env:MY_API_KEY}', LOG_LEVEL: 'debug' } },
    });
    expect(servers.flatMap(({ warnings }) => warnings)).toEqual([expect.stringContaining('`envFile`')]);
  });

  it('VS Code, whose inputs become secrets', () => {
    expect(read('vscode').configs).toEqual({
      github: { url: 'https://api.githubcopilot.com/mcp/' },
      perplexity: {
        command: 'docker',
        args: ['run', '-i', '--rm', '-e', 'PERPLEXITY_API_KEY', 'mcp/perplexity-ask'],
        env: { PERPLEXITY_API_KEY: '${secret:PERPLEXITY_KEY}' },
      },
    });
    const settings = readClientServers('vscode', '{ "editor.tabSize": 2, "mcp": { "servers": { "a": { "command": "x" } } } }');
    expect(settings).toMatchObject({ ok: true, servers: [{ name: 'a', config: { command: 'x' } }] });
  });

  it('Windsurf', () => {
    const { configs, servers } = read('windsurf');
    expect(configs).toEqual({
      remote: { url: 'https://mcp.example.com/mcp', headers: { API_KEY: 'Bearer ${env:AUTH_TOKEN}' } },
      off: { command: 'npx', args: ['-y', 'off'], disabled: true },
    });
    expect(servers[0]?.warnings).toEqual([expect.stringContaining('`disabledTools`')]);
  });

  it('goose, without extensions that only goose runs', () => {
    const { configs, skipped } = read('goose');
    expect(configs).toEqual({
      fetch: {
        command: 'uvx',
        args: ['mcp-server-fetch'],
        env: { FETCH_API_KEY: '${secret:FETCH_API_KEY}', PROXY_PORT: '8080' },
        timeout: 300,
      },
      remote: { url: 'https://example.com/mcp', headers: { Authorization: 'Bearer abcdefGHIJKL0123456789xyz' }, disabled: true },
      keyed: {
        url: 'https://keyed.example.com/sse',
        type: 'sse',
        headers: {
          Authorization: 'Bearer ${secret:REMOTE_TOKEN}',
          'X-Key': '${secret:REMOTE_TOKEN}',
          'X-Region': 'eu',
          'X-Price': '$5 $OTHER',
        },
      },
    });
    expect(skipped).toEqual([{ name: 'developer', reason: expect.stringContaining('builtin') }]);
  });

  it('Codex', () => {
    const { configs, servers } = read('codex');
    expect(configs).toEqual({
      context7: {
        command: 'npx',
        args: ['-y', '@upstash/context7-mcp'],
        env: { CONTEXT7_API_KEY: 'ctx7sk-4f1c9e0a-2b6d-4c8e-9a71-d3f0b5e6a812' },
      },
      figma: {
        url: 'https://mcp.figma.com/mcp',
        headers: { 'X-Figma-Region': 'us-east-1', 'X-Team': '${secret:FIGMA_TEAM}', Authorization: 'Bearer ${secret:FIGMA_OAUTH_TOKEN}' },
        timeout: 45,
        disabled: true,
      },
    });
    expect(servers[1]?.warnings).toEqual([expect.stringContaining('`enabled_tools`')]);
    const passed = 'env_vars = ["ONE_TOKEN", { name = "OTHER_TOKEN", source = "local" }]';
    expect(readClientServers('codex', `[mcp_servers.a]\ncommand = "x"\n${passed}`)).toMatchObject({
      servers: [{ config: { env: { ONE_TOKEN: '${secret:ONE_TOKEN}', OTHER_TOKEN: '${secret:OTHER_TOKEN}' } } }],
    });
  });
});

describe('a text', () => {
  it.each([
    ['goose', 'goose'],
    ['codex', 'codex'],
    ['vscode', 'vscode'],
    ['windsurf', 'windsurf'],
    ['claude-desktop', 'claude-code'],
    ['cursor', 'claude-code'],
  ] as const)('of %s is recognised, and read as %s', (client, as) => {
    expect(readClientServers('auto', CLIENT_FILES[client])).toMatchObject({ ok: true, client: as });
  });

  it.each([
    ['claude-desktop', '{ "mcpServers": { "a": ', /Invalid JSON at line 1, column/],
    ['goose', 'extensions:\n  - a\n b: :', /not YAML/],
    ['codex', '[mcp_servers', /not TOML/],
    ['cursor', '{}', /has no servers of Cursor: it needs `mcpServers`/],
    ['cursor', '[]', /has no servers of Cursor/],
    ['vscode', '{ "servers": [] }', /has no servers of VS Code/],
    ['auto', '', /has no servers/],
    ['auto', 'hello', /^Invalid JSON at line 1, column 1\.$/],
  ] as const)('of %s that is not usable is refused with a reason: %s', (client, text, reason) => {
    expect(readClientServers(client, text)).toEqual({ ok: false, reason: expect.stringMatching(reason) });
  });

  it('with an entry that is not a server is read without that entry', () => {
    const text = '{ "mcpServers": { "a": [], "b": { "args": ["x"] }, "__proto__": { "command": "x" }, "c": { "command": "y" } } }';
    const found = readClientServers('cursor', text);
    expect(found).toMatchObject({ ok: true, skipped: [{ name: 'a' }, { name: 'b' }] });
    expect(found.ok && found.servers.map(({ name }) => name)).toEqual(['c']);
    expect(Object.hasOwn(Object.prototype, 'command')).toBe(false);
  });

  it('with a bomb of YAML aliases is refused', () => {
    const bomb = `a: &a [x,x,x,x,x,x,x,x,x]\n${['b', 'c', 'd', 'e', 'f', 'g'].map((name, at) => `${name}: &${name} [${Array(9).fill(`*${'abcdef'[at]}`).join(',')}]`).join('\n')}\nextensions: {x: *g}\n`;
    expect(readClientServers('goose', bomb)).toMatchObject({ ok: false, reason: expect.stringContaining('alias') });
  });
});

it('reads names of clients as people write them', () => {
  expect(['VS Code', 'vs-code', 'vscode', 'Claude Desktop', 'claude_code', 'GOOSE'].map(serverClientOf)).toEqual([
    'vscode',
    'vscode',
    'vscode',
    'claude-desktop',
    'claude-code',
    'goose',
  ]);
  expect(serverClientOf('emacs')).toBeNull();
});

it('creates names of secrets from any text', () => {
  expect(['github-token', 'perplexityKey', '1st key', 'ü', 'A'.repeat(80)].map(secretNameOf)).toEqual([
    'GITHUB_TOKEN',
    'PERPLEXITY_KEY',
    'SECRET_1ST_KEY',
    'SECRET_',
    'A'.repeat(64),
  ]);
});
