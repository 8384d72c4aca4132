/** The entry of a server in `mcp.json`. */
export type ServerEntry = { readonly command: string; readonly args: readonly string[] } | { readonly url: string };

export function serverEntry(entry: ServerEntry): string {
  return `${JSON.stringify(entry, null, 2)}\n`;
}

/** A stdio server without packages: one JSON message per line. */
export const serverJavaScript = (
  name: string,
): string => `// A small MCP server: one JSON-RPC message per line on stdin and stdout. Log output goes to stderr.
import { createInterface } from 'node:readline';

const TOOLS = [
  {
    name: 'say_hello',
    description: 'Greet somebody by name.',
    inputSchema: {
      type: 'object',
      properties: { name: { type: 'string', description: 'The name.' } },
      required: ['name'],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: true },
  },
];

const METHODS = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: '${name}', version: '1.0.0' },
    instructions: 'Greet people before anything else.',
  }),
  ping: () => ({}),
  'tools/list': () => ({ tools: TOOLS }),
  'tools/call': ({ name, arguments: given }) =>
    name === 'say_hello'
      ? { content: [{ type: 'text', text: \`Hello, \${given.name}!\` }] }
      : { content: [{ type: 'text', text: \`Tool \${name} not found.\` }], isError: true },
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  const known = Object.hasOwn(METHODS, method);
  const answer = known ? { result: METHODS[method](params ?? {}) } : { error: { code: -32601, message: \`Unknown method \${method}\` } };
  process.stdout.write(\`\${JSON.stringify({ jsonrpc: '2.0', id, ...answer })}\\n\`);
}
`;

export const serverPython = (
  name: string,
): string => `# A small MCP server: one JSON-RPC message per line on stdin and stdout. Log output goes to stderr.
import json
import sys

TOOLS = [
    {
        "name": "say_hello",
        "description": "Greet somebody by name.",
        "inputSchema": {
            "type": "object",
            "properties": {"name": {"type": "string", "description": "The name."}},
            "required": ["name"],
            "additionalProperties": False,
        },
        "annotations": {"readOnlyHint": True},
    },
]


def call(name, given):
    if name == "say_hello":
        return {"content": [{"type": "text", "text": f"Hello, {given['name']}!"}]}
    return {"content": [{"type": "text", "text": f"Tool {name} not found."}], "isError": True}


METHODS = {
    "initialize": lambda params: {
        "protocolVersion": params["protocolVersion"],
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "${name}", "version": "1.0.0"},
        "instructions": "Greet people before anything else.",
    },
    "ping": lambda params: {},
    "tools/list": lambda params: {"tools": TOOLS},
    "tools/call": lambda params: call(params["name"], params.get("arguments", {})),
}

for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message:
        continue
    method = METHODS.get(message["method"])
    if method is None:
        answer = {"error": {"code": -32601, "message": f"Unknown method {message['method']}"}}
    else:
        answer = {"result": method(message.get("params") or {})}
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], **answer}), flush=True)
`;
