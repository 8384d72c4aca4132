/** One file, one tool. */
export const toolTypeScript = `/**
 * Repeat a text. Describe what the tool does and when to use it: agents and people choose it by this sentence.
 * @param text The text to repeat.
 * @param times How often it is repeated, 1 to 100.
 */
export function run(text: string, times: number = 2): string {
  if (times < 1 || times > 100) throw new Error(\`\\\`times\\\` is \${times}; 1 to 100 are possible.\`);
  return Array.from({ length: times }, () => text).join(' ');
}
`;

export const toolPython = `def run(text: str, times: int = 2) -> str:
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
export const toolsTypeScript = (subject: string): string => `import { ToolError } from 'switchboard';
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

export const toolsPython = (subject: string): string => `"""Notes, stored until this file is saved again."""

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
