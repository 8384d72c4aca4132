import type { CodeLanguage } from '#components/ui/code-language.ts';

/** How a client of MCP is told of this server; docs/mcp.md has the same texts, held to it by a test. */
export interface AgentClient {
  readonly id: string;
  readonly name: string;
  /** Where the text belongs. */
  readonly where: string;
  readonly text: string;
  readonly language: CodeLanguage | null;
}

export function agentClients(url: string): readonly AgentClient[] {
  return [
    {
      id: 'claude-code',
      name: 'Claude Code',
      where: 'In a terminal; with `--scope user` it holds for all projects.',
      text: `claude mcp add --transport http switchboard ${url}`,
      language: 'shellscript',
    },
    {
      id: 'cursor',
      name: 'Cursor',
      where: 'In `~/.cursor/mcp.json`, or `.cursor/mcp.json` in a project.',
      text: json({ mcpServers: { switchboard: { url } } }),
      language: 'json',
    },
    {
      id: 'vs-code',
      name: 'VS Code',
      where: 'In `.vscode/mcp.json` in a project.',
      text: json({ servers: { switchboard: { type: 'http', url } } }),
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
    uri: ${url}
    enabled: true
    timeout: 300`,
      language: null,
    },
    {
      id: 'codex',
      name: 'Codex',
      where: 'In a terminal.',
      text: `codex mcp add switchboard --url ${url}`,
      language: 'shellscript',
    },
    {
      id: 'claude-desktop',
      name: 'Claude Desktop',
      where: 'In `claude_desktop_config.json`. It starts programs only, so a small one stands between.',
      text: json({ mcpServers: { switchboard: { command: 'npx', args: ['-y', 'mcp-remote', url] } } }),
      language: 'json',
    },
  ];
}

function json(value: unknown): string {
  return JSON.stringify(value, null, 2);
}
