import { isValidName, NAME_RULE } from '#lib/contract/names.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import { unreadableOutput } from '#lib/contract/agent-schema.ts';
import { annotationsSchema } from '#lib/contract/tool.ts';
import type { RawFailure, ToolDescription } from '#lib/runtime/runtime.ts';
import { findForeign } from '#lib/schema/check-schema.ts';
import { has, isObject, kindOf, markOf } from '#lib/schema/json-value.ts';
import { nearestName } from '#lib/schema/nearest-name.ts';
import { normaliseOutputSchema, normaliseParameters } from '#lib/schema/normalise-parameters.ts';
import { lintTool } from '#lib/schema/lint-tool.ts';

export type Written = Readonly<Record<string, unknown>>;
type Subject = readonly (string | number)[];

export type ToolOutcome = { readonly ok: true; readonly tool: ToolDescription } | { readonly ok: false; readonly failure: RawFailure };

/** The five fields, each with its purpose and its names in other products. */
const REQUIRED: Readonly<Record<string, { readonly purpose: string; readonly elsewhere: readonly string[] }>> = {
  label: { purpose: 'the tag shown with it', elsewhere: ['title', 'category', 'tag', 'group'] },
  name: { purpose: 'its unique name', elsewhere: ['id', 'tool', 'toolName', 'tool_name'] },
  description: { purpose: 'what it does and when to use it', elsewhere: ['desc', 'summary', 'help', 'doc'] },
  parameters: { purpose: 'its arguments', elsewhere: ['params', 'args', 'arguments', 'input', 'inputSchema', 'input_schema', 'schema'] },
  execute: {
    purpose: 'the function that runs it',
    elsewhere: ['exec', 'run', 'handler', 'handle', 'call', 'invoke', 'fn', 'func', 'callback'],
  },
};
export const REQUIRED_FIELDS = Object.keys(REQUIRED);
const OPTIONAL = ['annotations', 'timeout_ms', 'output_schema', 'examples'];

/** `TOOLS[1] ("get_x")`, for a sentence. */
export function toolTitle(tool: unknown, subject: Subject): string {
  const place = subject.map((part, index) => (index === 0 ? String(part) : `[${part}]`)).join('');
  const name = isObject(tool) ? tool['name'] : undefined;
  return typeof name === 'string' && name !== '' ? `\`${place}\` ("${name.slice(0, 80)}")` : `\`${place}\``;
}

/** All missing fields of all tools at once; null when none is missing. */
export function missingFields(tools: readonly { readonly tool: Written; readonly subject: Subject }[]): RawFailure | null {
  const sentences: string[] = [];
  const hints = new Set<string>();
  let first: Subject | null = null;
  for (const { tool, subject } of tools) {
    const missing = Object.entries(REQUIRED).filter(([field]) => !has(tool, field));
    if (missing.length === 0) continue;
    first ??= subject;
    sentences.push(`${toolTitle(tool, subject)} lacks ${missing.map(([field, { purpose }]) => `\`${field}\` (${purpose})`).join(', ')}.`);
    const strangers = Object.keys(tool).filter((key) => !Object.hasOwn(REQUIRED, key) && !OPTIONAL.includes(key));
    const inner = strangers.find((key) => {
      const value = tool[key];
      return isObject(value) && missing.some(([field]) => has(value, field));
    });
    if (inner !== undefined) hints.add(`Move the fields of \`${inner}\` into the tool itself.`);
    for (const [field, { elsewhere }] of missing) {
      const meant = elsewhere.find((name) => strangers.includes(name)) ?? strangers.find((key) => nearestName(key, [field]) !== null);
      if (meant !== undefined) hints.add(`Did you mean \`${field}\` where it says \`${meant}\`? Rename it.`);
      else if (Object.hasOwn(tool, field)) hints.add(`\`${field}\` is there but undefined; look at where its value comes from.`);
      else if (field === 'parameters') hints.add('A tool without parameters has `parameters: {}`.');
    }
  }
  if (first === null) return null;
  const hint = hints.size === 0 ? 'Add these fields to the tool.' : [...hints].slice(0, 5).join(' ');
  return { code: 'fields_missing', message: sentences.slice(0, 20).join('\n'), hint, subject: first };
}

/** A text of several lines is indented like the source around it. */
export function withoutIndent(text: string): string {
  const [, ...lines] = text.split('\n');
  const indents = lines.flatMap((line) => (line.trim() === '' ? [] : [line.length - line.trimStart().length]));
  const indent = Math.min(...indents);
  return (indents.length === 0 || indent === 0 ? text : text.replaceAll(/\n[^\S\n]*/g, (start) => `\n${start.slice(1 + indent)}`)).trim();
}

/** One tool with all five fields. */
export function describeTool(tool: Written, subject: Subject): ToolOutcome {
  const title = toolTitle(tool, subject);
  const invalid = (field: string, problem: string, hint: string, path: Subject = []): ToolOutcome => ({
    ok: false,
    failure: { code: 'field_invalid', message: `\`${field}\` of ${title} ${problem}`, hint, subject: [...subject, field, ...path] },
  });
  const { label, name, execute } = tool;
  const description = typeof tool['description'] === 'string' ? withoutIndent(tool['description']) : tool['description'];
  if (typeof label !== 'string')
    return invalid('label', `is ${kindOf(label)}; it must be text.`, 'Write a short tag, for example `label: "Weather"`.');
  if (label.trim() === '')
    return invalid('label', 'is empty.', 'Write a short tag, for example `label: "Weather"`; tools with one label are shown together.');
  if (typeof name !== 'string')
    return invalid('name', `is ${kindOf(name)}; it must be text.`, 'Write a name such as `name: "get_weather"`.');
  if (!isValidName(name)) return invalid('name', `is not valid. A name is ${NAME_RULE}.`, suggestName(name));
  if (typeof description !== 'string')
    return invalid(
      'description',
      `is ${kindOf(description)}; it must be text.`,
      'Say in a sentence what the tool does and when to use it.',
    );
  if (markOf(execute) !== 'function') {
    const hint =
      markOf(execute) === null && typeof execute === 'object'
        ? 'It looks like the result of a call: pass the function itself, without parentheses after its name.'
        : 'Write `execute(args, ctx) { … }`.';
    return {
      ok: false,
      failure: {
        code: 'execute_not_callable',
        message: `\`execute\` of ${title} is ${kindOf(execute)}; it must be a function.`,
        hint,
        subject: [...subject, 'execute'],
      },
    };
  }
  const parameters = normaliseParameters(tool['parameters']);
  if (!parameters.ok) {
    const hint = parameters.hint === undefined ? {} : { hint: parameters.hint };
    return {
      ok: false,
      failure: {
        code: 'parameters_invalid',
        message: `In ${title}: ${parameters.message}`,
        ...hint,
        subject: [...subject, 'parameters', ...parameters.path],
      },
    };
  }
  const annotations = given(tool, 'annotations') ? tool['annotations'] : {};
  const hints = annotationsSchema.safeParse(annotations);
  if (!hints.success || findForeign(annotations) !== null) {
    const key = hints.error?.issues[0]?.path[0];
    const field = typeof key === 'string' ? key : null;
    return invalid(
      'annotations',
      field === null ? `is ${kindOf(annotations)}; it must be an object of hints in JSON.` : `has a \`${field}\` of the wrong type.`,
      'The hints are title (text) and readOnlyHint, destructiveHint, idempotentHint, openWorldHint (true or false).',
      field === null ? [] : [field],
    );
  }
  const timeout = given(tool, 'timeout_ms') ? tool['timeout_ms'] : null;
  if (
    timeout !== null &&
    (typeof timeout !== 'number' || !Number.isInteger(timeout) || timeout < 1 || timeout > LIMITS.callTimeoutMostMs)
  ) {
    const shown = typeof timeout === 'number' ? String(timeout) : kindOf(timeout);
    return invalid(
      'timeout_ms',
      `is ${shown}; it must be a whole number of milliseconds from 1 to ${LIMITS.callTimeoutMostMs}.`,
      'For 30 s write `timeout_ms: 30_000`.',
    );
  }
  const output = given(tool, 'output_schema') ? normaliseOutputSchema(tool['output_schema']) : null;
  if (output !== null && !output.ok)
    return invalid(
      'output_schema',
      `is not a usable JSON Schema: ${output.message}`,
      output.hint ?? 'Fix it at the named location, or remove it.',
      output.path,
    );
  const examples = given(tool, 'examples') ? tool['examples'] : [];
  if (!Array.isArray(examples))
    return invalid(
      'examples',
      `is ${kindOf(examples)}; it must be a list of arguments.`,
      'Write a list, for example `examples: [{ city: "Oslo" }]`.',
    );
  const foreign = findForeign(examples);
  if (foreign !== null)
    return invalid('examples', `has at ${foreign.path.join('/')} what ${foreign.message}`, 'Examples are plain JSON.', foreign.path);
  const hidden = output === null ? null : unreadableOutput(output.schema);
  const warnings = [
    ...parameters.warnings,
    ...(hidden === null ? [] : [`Results are checked against \`output_schema\`, but agents are not shown it: ${hidden}.`]),
    ...lintTool({ name, description, parameters: parameters.schema }),
    ...unreadFields(tool),
  ];
  return {
    ok: true,
    tool: {
      name,
      label,
      description,
      parameters: parameters.schema,
      outputSchema: output?.schema ?? null,
      annotations: hints.data,
      timeoutMs: timeout,
      examples,
      warnings,
    },
  };
}

function given(tool: Written, field: string): boolean {
  return has(tool, field) && tool[field] !== null;
}

function suggestName(name: string): string {
  const tried = name
    .trim()
    .replace(/[^A-Za-z0-9_-]+/g, '_')
    .replace(/^[^A-Za-z]+/, '')
    .slice(0, LIMITS.nameLength)
    .replace(/_+$/, '');
  return isValidName(tried) ? `For example \`name: "${tried}"\`.` : 'For example `name: "get_weather"`.';
}

/** A misspelled field has no effect; its author should know. */
function unreadFields(tool: Written): readonly string[] {
  const warnings: string[] = [];
  for (const key of Object.keys(tool).slice(0, 200)) {
    if (Object.hasOwn(REQUIRED, key) || OPTIONAL.includes(key)) continue;
    const snake = key.replace(/([a-z])([A-Z])/g, '$1_$2').toLowerCase();
    const meant = OPTIONAL.includes(snake) ? snake : nearestName(key, OPTIONAL);
    if (meant !== null && !given(tool, meant)) warnings.push(`\`${key}\` is ignored; did you mean \`${meant}\`?`);
  }
  return warnings;
}
