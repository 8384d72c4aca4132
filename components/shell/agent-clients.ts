import type { Snippet } from '#components/ui/Snippets.tsx';

/** Configuration per MCP client. `token`: null on a server without accounts. A test keeps docs/mcp.md equal to these texts. */
export function agentClients(url: string, token: string | null = null): readonly Snippet[] {
  const bearer = `Bearer ${token ?? ''}`;
  const headers = token === null ? {} : { headers: { Authorization: bearer } };
  return [
    {
      id: 'claude-code',
      name: 'Claude Code',
      where: 'In a terminal; with `--scope user` it applies to all projects.',
      text: `claude mcp add --transport http switchboard ${url}${token === null ? '' : ` --header 'Authorization: ${bearer}'`}`,
      language: 'shellscript',
    },
    {
      id: 'cursor',
      name: 'Cursor',
      where: 'In `~/.cursor/mcp.json`, or `.cursor/mcp.json` in a project.',
      text: json({ mcpServers: { switchboard: { url, ...headers } } }),
      language: 'json',
    },
    {
      id: 'vs-code',
      name: 'VS Code',
      where: 'In `.vscode/mcp.json` in a project.',
      text: json({ servers: { switchboard: { type: 'http', url, ...headers } } }),
      language: 'json',
    },
    {
      id: 'goose',
      name: 'goose',
      where: 'In `~/.config/goose/config.yaml`.',
      text: `extensions:
  switchboard:
    name: switchboard
    type: streamable_http
    uri: ${url}${token === null ? '' : `\n    headers:\n      Authorization: ${bearer}`}
    enabled: true
    timeout: 300`,
      language: null,
    },
    {
      id: 'codex',
      name: 'Codex',
      where: token === null ? 'In a terminal.' : 'In a terminal; it reads the token from the variable `SWITCHBOARD_TOKEN`.',
      text: `codex mcp add switchboard --url ${url}${token === null ? '' : ' --bearer-token-env-var SWITCHBOARD_TOKEN'}`,
      language: 'shellscript',
    },
    {
      id: 'claude-desktop',
      name: 'Claude Desktop',
      where: 'In `claude_desktop_config.json`. It can only start programs, so `mcp-remote` connects it to the server.',
      text: json({
        mcpServers: {
          switchboard:
            token === null
              ? { command: 'npx', args: ['-y', 'mcp-remote', url] }
              : {
                  command: 'npx',
                  args: ['-y', 'mcp-remote', url, '--header', 'Authorization:${SWITCHBOARD_AUTH}'],
                  env: { SWITCHBOARD_AUTH: bearer },
                },
        },
      }),
      language: 'json',
    },
  ];
}

function json(value: unknown): string {
  return JSON.stringify(value, null, 2);
}
