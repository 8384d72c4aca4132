import type { CodeLanguage } from '#components/ui/code-language.ts';
import { API, MCP_PATH } from '#lib/contract/paths.ts';

export interface TokenSnippet {
  readonly id: string;
  readonly label: string;
  readonly where: string;
  readonly text: string;
  readonly language: CodeLanguage;
}

/** How scripts and agents use a token, ready to be copied. `origin` is of this server, as the browser reaches it. */
export function tokenSnippets(origin: string, token: string): readonly TokenSnippet[] {
  const header = `Authorization: Bearer ${token}`;
  return [
    {
      id: 'curl',
      label: 'curl',
      where: 'In a terminal: lists the tools that it may use.',
      text: `curl -H '${header}' ${origin}${API.tools}`,
      language: 'shellscript',
    },
    {
      id: 'mcp',
      label: 'MCP client',
      where: 'In the settings of most clients of the Model Context Protocol.',
      text: JSON.stringify(
        { mcpServers: { switchboard: { type: 'http', url: `${origin}${MCP_PATH}`, headers: { Authorization: `Bearer ${token}` } } } },
        null,
        2,
      ),
      language: 'json',
    },
    {
      id: 'claude-code',
      label: 'Claude Code',
      where: 'In a terminal.',
      text: `claude mcp add --transport http switchboard ${origin}${MCP_PATH} --header '${header}'`,
      language: 'shellscript',
    },
  ];
}
