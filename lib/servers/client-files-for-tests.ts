/** Realistic configuration files of MCP clients: comments, byte order marks, trailing commas, keys of each client. */

export const CLIENT_FILES = {
  'claude-desktop': `\uFEFF{
  "globalShortcut": "Alt+Space",
  "mcpServers": {
    "filesystem": {
      "command": "npx",
      "args": ["-y", "@modelcontextprotocol/server-filesystem", "/Users/ada/Documents"]
    },
    "GitHub (work)": {
      "command": "docker",
      "args": ["run", "-i", "--rm", "-e", "GITHUB_PERSONAL_ACCESS_TOKEN", "ghcr.io/github/github-mcp-server"],
      "env": { "GITHUB_PERSONAL_ACCESS_TOKEN": "ghp_0123456789abcdefghijABCDEFGHIJ012345" }
    }
  }
}
`,
  'claude-code': `{
  "numStartups": 12,
  "mcpServers": {
    "linear": { "type": "sse", "url": "https://mcp.linear.app/sse" },
    "db": {
      "type": "stdio",
      "command": "npx",
      "args": ["-y", "@bytebase/dbhub", "--dsn", "postgres://ada:s3cr3tpassw0rd@db.example.com:5432/main"],
      "env": {}
    }
  },
  "projects": {
    "/home/ada/shop": {
      "allowedTools": [],
      "mcpServers": { "api": { "type": "http", "url": "\${API_BASE:-https://api.example.com}/mcp", "headers": { "Authorization": "Bearer \${API_KEY}" } } }
    }
  }
}
`,
  cursor: `{
  // servers of this project
  "mcpServers": {
    "figma": { "url": "http://127.0.0.1:3845/mcp", "headers": { "X-Figma-Token": "figd_A1b2C3d4E5f6G7h8I9j0K1l2M3n4" } },
    "py": {
      "command": "python",
      "args": ["\${workspaceFolder}/server.py",],
      "env": { "API_KEY": "\${env:MY_API_KEY}", "LOG_LEVEL": "debug" },
      "envFile": "\${workspaceFolder}/.env",
    },
  },
}
`,
  vscode: `{
  "inputs": [
    // asked once
    { "type": "promptString", "id": "perplexity-key", "description": "Perplexity API Key", "password": true }
  ],
  "servers": {
    "github": { "type": "http", "url": "https://api.githubcopilot.com/mcp/" },
    "perplexity": {
      "type": "stdio",
      "command": "docker",
      "args": ["run", "-i", "--rm", "-e", "PERPLEXITY_API_KEY", "mcp/perplexity-ask"],
      "env": { "PERPLEXITY_API_KEY": "\${input:perplexity-key}" },
      "dev": { "watch": "src/**/*.ts" }
    }
  }
}
`,
  windsurf: `{
  "mcpServers": {
    "remote": { "serverUrl": "https://mcp.example.com/mcp", "headers": { "API_KEY": "Bearer \${env:AUTH_TOKEN}" }, "disabledTools": ["drop"] },
    "off": { "command": "npx", "args": ["-y", "off"], "disabled": true }
  }
}
`,
  goose: `GOOSE_PROVIDER: anthropic
extensions:
  developer:
    bundled: true
    enabled: true
    name: developer
    timeout: 300
    type: builtin
  fetch:
    args:
      - mcp-server-fetch
    bundled: null
    cmd: uvx
    description: ''
    enabled: true
    env_keys:
      - FETCH_API_KEY
    envs:
      PROXY_PORT: 8080
    name: Fetch
    timeout: 300
    type: stdio
  remote:
    enabled: false
    type: streamable_http
    uri: https://example.com/mcp
    headers: { Authorization: Bearer abcdefGHIJKL0123456789xyz }
    name: remote
  keyed:
    enabled: true
    type: sse
    uri: https://keyed.example.com/sse
    env_keys: [REMOTE_TOKEN]
    envs: { REGION: eu }
    headers: { Authorization: Bearer $REMOTE_TOKEN, X-Key: '\${REMOTE_TOKEN}', X-Region: '$REGION', X-Price: $5 $OTHER }
    name: keyed
`,
  codex: `model = "gpt-5-codex"

[mcp_servers.context7]
command = "npx"
args = ["-y", "@upstash/context7-mcp"] # docs
startup_timeout_sec = 20

[mcp_servers.context7.env]
CONTEXT7_API_KEY = "ctx7sk-4f1c9e0a-2b6d-4c8e-9a71-d3f0b5e6a812"

[mcp_servers.figma]
url = "https://mcp.figma.com/mcp"
bearer_token_env_var = "FIGMA_OAUTH_TOKEN"
http_headers = { "X-Figma-Region" = "us-east-1" }
env_http_headers = { "X-Team" = "FIGMA_TEAM" }
tool_timeout_sec = 45
enabled = false
enabled_tools = ["open"]
`,
} as const;
