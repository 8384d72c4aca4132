import { snippetCompletion } from '@codemirror/autocomplete';
import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete';

const TYPESCRIPT: readonly Completion[] = [
  snippetCompletion(
    `export const TOOL = {\n  label: '\${Label}',\n  name: '\${verb_noun}',\n  description: '\${What it does and when to use it.}',\n  parameters: {\n    \${name}: { type: 'string', required: true, description: '\${What it is.}' },\n  },\n  execute({ \${name} }, ctx) {\n    return \${name};\n  },\n};`,
    { label: 'TOOL', detail: 'one tool', type: 'constant' },
  ),
  snippetCompletion(
    `export const TOOLS = [\n  {\n    label: '\${Label}',\n    name: '\${verb_noun}',\n    description: '\${What it does and when to use it.}',\n    parameters: {},\n    execute(args, ctx) {\n      return \${null};\n    },\n  },\n];`,
    { label: 'TOOLS', detail: 'a list of tools', type: 'constant' },
  ),
  snippetCompletion(`export function status() {\n  return { \${state}: \${true} };\n}`, {
    label: 'status',
    detail: 'shown live on the extension’s page',
    type: 'function',
  }),
  snippetCompletion(`export const INSTRUCTIONS = '\${How an agent should use this extension.}';`, {
    label: 'INSTRUCTIONS',
    detail: 'for agents',
    type: 'constant',
  }),
  snippetCompletion(`import { ToolError } from 'switchboard';`, {
    label: 'ToolError',
    detail: 'an error with a kind and data',
    type: 'class',
  }),
  snippetCompletion(`import type { ToolContext } from 'switchboard';`, {
    label: 'ToolContext',
    detail: 'signal, log, progress',
    type: 'type',
  }),
  { label: 'ctx.log.info', detail: 'a line of the call’s log', type: 'method' },
  { label: 'ctx.progress', detail: '(done, total?, message?)', type: 'method' },
  { label: 'ctx.signal', detail: 'aborted when the call is cancelled', type: 'property' },
  { label: 'ctx.workspace_root', type: 'property' },
];

const PYTHON: readonly Completion[] = [
  snippetCompletion(
    `TOOL = {\n    "label": "\${Label}",\n    "name": "\${verb_noun}",\n    "description": "\${What it does and when to use it.}",\n    "parameters": {\n        "\${name}": {"type": "string", "required": True, "description": "\${What it is.}"},\n    },\n    "execute": \${function},\n}`,
    { label: 'TOOL', detail: 'one tool', type: 'constant' },
  ),
  snippetCompletion(`def status():\n    return {"\${state}": \${True}}`, {
    label: 'status',
    detail: 'shown live on the extension’s page',
    type: 'function',
  }),
  snippetCompletion(`INSTRUCTIONS = "\${How an agent should use this extension.}"`, {
    label: 'INSTRUCTIONS',
    detail: 'for agents',
    type: 'constant',
  }),
  snippetCompletion(`from switchboard import ToolContext, ToolError`, {
    label: 'ToolError',
    detail: 'an error with a kind and data',
    type: 'class',
  }),
  { label: 'ctx.log.info', detail: 'a line of the call’s log', type: 'method' },
  { label: 'ctx.progress', detail: '(done, total=None, message=None)', type: 'method' },
];

const WORD = /[\w.]+/;

/** Offers what the contract of an extension names, in the language of the file. */
export function completeContract(file: string): (context: CompletionContext) => CompletionResult | null {
  const options = file.endsWith('.py') ? PYTHON : /\.(?:[mc]?[tj]s)$/.test(file) ? TYPESCRIPT : [];
  return (context) => {
    const word = context.matchBefore(WORD);
    if (options.length === 0 || (word === null && !context.explicit)) return null;
    return { from: word?.from ?? context.pos, options: [...options], validFor: /^[\w.]*$/ };
  };
}
