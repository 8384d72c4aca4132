import { CORE_CHANNELS } from '#lib/contract/channel.ts';
import { isValidName, NAME_RULE } from '#lib/contract/names.ts';
import type { NewExtension, NewKind } from '#lib/contract/source-file.ts';

const RESERVED = ['tools', 'channels', 'example', 'node_modules'];
const CODE_ENDINGS = ['ts', 'mts', 'js', 'mjs', 'py'];
/** Leaves space for the prefix in tool names. */
const SUBJECT_LENGTH = 40;

/** Why an extension of this kind cannot have this name; null when it can. */
export function refusalOfNewName(kind: NewKind, name: string): string | null {
  if (!isValidName(name)) return `“${name}” cannot be the name of an extension: ${NAME_RULE}.`;
  if ((kind === 'tools' || kind === 'mcp') && RESERVED.includes(name.toLowerCase())) return `“${name}” is reserved; choose another name.`;
  if (kind === 'channel' && CORE_CHANNELS.some((core) => core === name.toLowerCase()))
    return `The channel “${name}” is part of the server; choose another name.`;
  return null;
}

/** Possible paths of an existing extension with that id, in any language: a second one would be ambiguous. */
export function placesOfNew(kind: NewKind, name: string): readonly string[] {
  if (kind === 'tool' || kind === 'channel') return CODE_ENDINGS.map((ending) => `${kind}s/${name}.${ending}`);
  return [name];
}

export function idOfNew(kind: NewKind, name: string): string {
  return kind === 'tool' || kind === 'channel' ? `${kind}s/${name}` : name;
}

/** A small working extension: its files by path, the one to open first. */
export function filesOfNew({ kind, name, language }: NewExtension): Readonly<Record<string, string>> {
  const isPython = language === 'python';
  const ending = isPython ? 'py' : 'ts';
  const subject = name.toLowerCase().replaceAll('-', '_').slice(0, SUBJECT_LENGTH);
  switch (kind) {
    case 'tool':
      return { [`tools/${name}.${ending}`]: isPython ? toolPython : toolTypeScript };
    case 'tools':
      return { [`${name}/extension.${ending}`]: isPython ? toolsPython(subject) : toolsTypeScript(subject) };
    case 'channel':
      return { [`channels/${name}.${ending}`]: isPython ? channelPython(name) : channelTypeScript(name) };
    case 'mcp': {
      const file = isPython ? 'server.py' : 'server.mjs';
      return {
        [`${name}/${file}`]: isPython ? serverPython(name) : serverJavaScript(name),
        [`${name}/mcp.json`]: serverEntry({ command: isPython ? 'python3' : 'node', args: [file] }),
      };
    }
  }
}

/** One file, one tool. */
const toolTypeScript = `/**
 * Repeat a text. Describe what the tool does and when to use it: agents and people choose it by this sentence.
 * @param text The text to repeat.
 * @param times How often it is repeated, 1 to 100.
 */
export function run(text: string, times: number = 2): string {
  if (times < 1 || times > 100) throw new Error(\`\\\`times\\\` is \${times}; 1 to 100 are possible.\`);
  return Array.from({ length: times }, () => text).join(' ');
}
`;

const toolPython = `def run(text: str, times: int = 2) -> str:
    """Repeat a text. Describe what the tool does and when to use it: agents and people choose it by this sentence.

    Args:
        text: The text to repeat.
        times: How often it is repeated, 1 to 100.
    """
    if not 1 <= times <= 100:
        raise ValueError(f"\`times\` is {times}; 1 to 100 are possible.")
    return " ".join([text] * times)
`;

/** Several tools with shared state. `subject` is part of the tool names, which must be unique. */
const toolsTypeScript = (subject: string): string => `import { ToolError } from 'switchboard';
import type { ToolContext } from 'switchboard';

export const NAME = '${subject}';
export const DESCRIPTION = 'Notes, stored until this file is saved again.';
export const INSTRUCTIONS = 'List the notes before adding one, so that none is there twice.';

const notes: string[] = [];

export const TOOLS = [
  {
    label: '${subject}',
    name: 'add_note_to_${subject}',
    description: 'Add one note and return the number of notes.',
    parameters: {
      text: { type: 'string', required: true, minLength: 1, description: 'The note, in one sentence.' },
    },
    execute({ text }: { text: string }, ctx: ToolContext) {
      if (notes.includes(text)) throw new ToolError('This note is there already. List the notes before adding one.');
      notes.push(text);
      ctx.log.info('Added a note', { count: notes.length });
      return { count: notes.length };
    },
    examples: [{ text: 'Milk is out' }],
  },
  {
    label: '${subject}',
    name: 'list_notes_of_${subject}',
    description: 'List the newest notes.',
    parameters: {
      limit: { type: 'integer', default: 10, minimum: 1, maximum: 100, description: 'Maximum number of notes.' },
    },
    annotations: { readOnlyHint: true },
    execute({ limit }: { limit: number }) {
      return notes.slice(-limit);
    },
  },
];

/** Shown on the page of this extension. */
export function status() {
  return { notes: notes.length };
}
`;

const toolsPython = (subject: string): string => `"""Notes, stored until this file is saved again."""

from switchboard import ToolContext, ToolError

NAME = "${subject}"
DESCRIPTION = "Notes, stored until this file is saved again."
INSTRUCTIONS = "List the notes before adding one, so that none is there twice."

notes: list[str] = []


def add_note(text: str, ctx: ToolContext) -> dict:
    if text in notes:
        raise ToolError("This note is there already. List the notes before adding one.")
    notes.append(text)
    ctx.log.info("Added a note")
    return {"count": len(notes)}


def list_notes(limit: int) -> list[str]:
    return notes[-limit:]


TOOLS = [
    {
        "label": "${subject}",
        "name": "add_note_to_${subject}",
        "description": "Add one note and return the number of notes.",
        "parameters": {
            "text": {"type": "string", "required": True, "minLength": 1, "description": "The note, in one sentence."},
        },
        "execute": add_note,
        "examples": [{"text": "Milk is out"}],
    },
    {
        "label": "${subject}",
        "name": "list_notes_of_${subject}",
        "description": "List the newest notes.",
        "parameters": {
            "limit": {"type": "integer", "default": 10, "minimum": 1, "maximum": 100, "description": "Maximum number of notes."},
        },
        "annotations": {"readOnlyHint": True},
        "execute": list_notes,
    },
]


def status() -> dict:
    """Shown on the page of this extension."""
    return {"notes": len(notes)}
`;

/** A channel that echoes sent messages, which shows both directions. */
const channelTypeScript = (
  name: string,
): string => `/** An echo: each sent message comes back as a received one. Replace it with your messenger. */
import type { Message } from 'switchboard';

const received: Message[] = [];
let wake: (() => void) | null = null;

/** Called once at the start and after each failure: sign in, open the connection. Throw if that fails. */
export async function connect(): Promise<void> {
  received.length = 0;
}

/** Waits for the next message, for as long as it takes. */
export async function recv(): Promise<Message> {
  for (;;) {
    const message = received.shift();
    if (message !== undefined) return message;
    await new Promise<void>((resolve) => {
      wake = resolve;
    });
  }
}

/** Sends one message to \`message.metadata.recipient\`. Throw if that fails. */
export async function send(message: Message): Promise<void> {
  const recipient = message.metadata?.recipient;
  received.push({ text: message.text, sender: typeof recipient === 'string' ? recipient : 'echo', channel: '${name}' });
  wake?.();
}
`;

const channelPython = (
  name: string,
): string => `"""An echo: each sent message comes back as a received one. Replace it with your messenger."""

import asyncio

from switchboard import Message

received: list[Message] = []
arrived = asyncio.Event()


async def connect() -> None:
    """Called once at the start and after each failure: sign in, open the connection. Raise if that fails."""
    received.clear()


async def recv() -> Message:
    """Waits for the next message, for as long as it takes."""
    while not received:
        arrived.clear()
        await arrived.wait()
    return received.pop(0)


async def send(message: Message) -> None:
    """Sends one message to \`message.metadata["recipient"]\`. Raise if that fails."""
    recipient = (message.metadata or {}).get("recipient") or "echo"
    received.append(Message(text=message.text, sender=recipient, channel="${name}"))
    arrived.set()
`;

/** The entry of a server in `mcp.json`. */
type ServerEntry = { readonly command: string; readonly args: readonly string[] } | { readonly url: string };

export function serverEntry(entry: ServerEntry): string {
  return `${JSON.stringify(entry, null, 2)}\n`;
}

/** A stdio server without packages: one JSON message per line. */
const serverJavaScript = (
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

const serverPython = (
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
