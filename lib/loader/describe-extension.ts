import { LIMITS } from '#lib/contract/limits.ts';
import type { DescribeExtension, RawDescription, RawFailure, ToolDescription } from '#lib/runtime/runtime.ts';
import { has, isObject, kindOf, markOf } from '#lib/schema/json-value.ts';
import { nearestName } from '#lib/schema/nearest-name.ts';
import type { ExtensionRuntime } from '#lib/contract/extension.ts';
import { NO_LABEL } from '#lib/contract/tool.ts';
import { UNSEEN_PARAMETERS } from '#lib/schema/hints/read-run.ts';
import { NO_TYPE } from '#lib/schema/lint-tool.ts';
import { describeTool, missingFields, REQUIRED_FIELDS, toolTitle, withoutIndent, type Written } from './tool-fields.ts';
import type { Candidate } from './build.ts';

interface Declared {
  readonly tool: unknown;
  readonly subject: readonly (string | number)[];
}

type Outcome<Value> = { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly failure: RawFailure };

const FIELDS = 'label, name, description, parameters and execute';

/**
 * The declaration of an extension that exports TOOL or TOOLS, or the first error in it. Data from the child is
 * untrusted until validated here. Without NAME, DESCRIPTION or INSTRUCTIONS the value is "".
 */
export const describeExtension: DescribeExtension = (raw) => {
  const declared = declaredTools(raw);
  if (!declared.ok) return declared;
  const written: { tool: Written; subject: Declared['subject'] }[] = [];
  for (const { tool, subject } of declared.value) {
    if (!isObject(tool) || markOf(tool) !== null) {
      const hint = Array.isArray(tool)
        ? 'A list in the list has to be spread: `TOOLS = [...tools]`.'
        : markOf(tool) === 'promise' || markOf(tool) === 'coroutine'
          ? 'Wait for it: write `await` before it.'
          : markOf(tool) === 'function'
            ? `If the function creates the tool, call it: put \`()\` after its name. If the tool runs it, put an object with ${FIELDS} here, or export it as \`run\` from a file in extensions/tools.`
            : `Put an object with ${FIELDS} here.`;
      return {
        ok: false,
        failure: { code: 'tool_invalid', message: `${toolTitle(tool, subject)} is ${kindOf(tool)}; a tool is an object.`, hint, subject },
      };
    }
    written.push({ tool, subject });
  }
  const missing = missingFields(written);
  if (missing !== null) return { ok: false, failure: missing };
  const tools: ToolDescription[] = [];
  for (const [at, { tool, subject }] of written.entries()) {
    const outcome = describeTool(tool, subject);
    if (!outcome.ok) return outcome;
    const twin = tools.findIndex((other) => other.name === outcome.tool.name);
    if (twin >= 0) {
      const message = `The tool name “${outcome.tool.name}” is defined twice in this file: in \`TOOLS[${twin}]\` and in \`TOOLS[${at}]\`.`;
      const hint = 'A tool name has one owner. Rename one of the two, or remove it.';
      return { ok: false, failure: { code: 'duplicate_tool_name', message, hint, subject: [...subject, 'name'] } };
    }
    tools.push({ ...outcome.tool, warnings: [...outcome.tool.warnings, ...(raw.toolWarnings?.[at] ?? [])] });
  }
  return describeModule(raw, tools);
};

function declaredTools(raw: RawDescription): Outcome<readonly Declared[]> {
  const hasOne = has(raw.values, 'TOOL');
  const hasMany = has(raw.values, 'TOOLS');
  if (hasOne && hasMany) {
    return {
      ok: false,
      failure: {
        code: 'export_ambiguous',
        message: 'Both `TOOL` and `TOOLS` are exported; it must be one of them.',
        hint: 'Put the tool of `TOOL` into the list `TOOLS` and remove `TOOL`.',
        subject: ['TOOL'],
      },
    };
  }
  if (!hasOne && !hasMany) return { ok: false, failure: explainMissing(raw) };
  if (hasOne) {
    const tool = raw.values['TOOL'];
    if (Array.isArray(tool))
      return {
        ok: false,
        failure: {
          code: 'tool_invalid',
          message: '`TOOL` is a list; it must be one object.',
          hint: 'Rename it to `TOOLS`, which is a list of tools.',
          subject: ['TOOL'],
        },
      };
    return { ok: true, value: [{ tool, subject: ['TOOL'] }] };
  }
  const list = raw.values['TOOLS'];
  if (!Array.isArray(list)) {
    const isTool = isObject(list) && markOf(list) === null;
    const hint =
      isTool && Object.hasOwn(list, 'execute')
        ? 'Rename it to `TOOL`, or put it in brackets: `TOOLS = [{ … }]`.'
        : isTool
          ? 'Make it a list: `Object.values(tools)`, or `[{ … }, { … }]`.'
          : `Write \`export const TOOLS = [{ … }]\`, each with ${FIELDS}.`;
    return {
      ok: false,
      failure: { code: 'tool_invalid', message: `\`TOOLS\` is ${kindOf(list)}; it must be a list of tools.`, hint, subject: ['TOOLS'] },
    };
  }
  if (list.length > LIMITS.toolsPerExtension) {
    return {
      ok: false,
      failure: {
        code: 'tool_invalid',
        message: `\`TOOLS\` has ${list.length} tools; an extension may have ${LIMITS.toolsPerExtension}.`,
        hint: 'Divide them among several extensions.',
        subject: ['TOOLS'],
      },
    };
  }
  return { ok: true, value: list.map((tool: unknown, index) => ({ tool, subject: ['TOOLS', index] })) };
}

function explainMissing(raw: RawDescription): RawFailure {
  const empty = ['TOOL', 'TOOLS'].find((name) => raw.exports.includes(name));
  if (empty !== undefined)
    return {
      code: 'export_missing',
      message: `\`${empty}\` is exported, but it is undefined.`,
      hint: 'Check where its value comes from; with a circular import it may not be there yet.',
      subject: [empty],
    };
  const near = raw.exports.find((name) => nearestName(name, ['TOOL', 'TOOLS']) !== null);
  const message =
    raw.exports.length === 0
      ? 'The file exports nothing; it must export `TOOL` or `TOOLS`.'
      : `The file exports ${listed(raw.exports)}, but neither \`TOOL\` nor \`TOOLS\`.`;
  if (near !== undefined)
    return {
      code: 'export_missing',
      message,
      hint: `Did you mean \`${nearestName(near, ['TOOL', 'TOOLS'])}\` where it says \`${near}\`? Names are case-sensitive.`,
      subject: [near],
    };
  const exported = new Set(raw.exports);
  if (REQUIRED_FIELDS.filter((field) => exported.has(field)).length > 2)
    return {
      code: 'export_missing',
      message,
      hint: 'The fields of the tool are exported one by one. Put them into one object: `export const TOOL = { … }`, or `module.exports = { TOOL: { … } }`.',
      subject: ['execute'],
    };
  if (exported.has('run'))
    return {
      code: 'export_missing',
      message,
      hint: 'A file whose tool is a function `run` belongs in extensions/tools/<tool name>; here export `TOOL` or `TOOLS`.',
      subject: ['run'],
    };
  if (exported.has('recv') || exported.has('connect'))
    return {
      code: 'export_missing',
      message,
      hint: 'A channel belongs in extensions/channels/<channel name>; here export `TOOL` or `TOOLS`.',
    };
  if (exported.has('default'))
    return {
      code: 'export_missing',
      message,
      hint: 'A default export is ignored. Export it by name: `export const TOOL = { … }`.',
      subject: ['default'],
    };
  return {
    code: 'export_missing',
    message,
    hint:
      raw.exports.length === 0
        ? 'Write `export` before `const TOOL`, or add `export const TOOL = { … }`.'
        : 'Add `export const TOOL = { … }` (one tool) or `export const TOOLS = [ … ]`.',
  };
}

function listed(names: readonly string[]): string {
  const shown = names.slice(0, 5).map((name) => `\`${name.slice(0, 80)}\``);
  return names.length > shown.length ? `${shown.join(', ')} and ${names.length - shown.length} more` : shown.join(', ');
}

/** Declarations of an extension besides its tools. */
function describeModule(raw: RawDescription, tools: readonly ToolDescription[] | null): ReturnType<DescribeExtension> {
  const warnings: string[] = tools?.length === 0 ? ['`TOOLS` is an empty list; the extension has no tools.'] : [];
  const texts = { name: '', description: '', instructions: '' };
  for (const field of ['name', 'description', 'instructions'] as const) {
    const written = [field.toUpperCase(), field].find((key) => has(raw.values, key) && raw.values[key] !== null);
    if (written === undefined) continue;
    const value = raw.values[written];
    if (typeof value === 'string') texts[field] = withoutIndent(value);
    else if (written === field) warnings.push(`The export \`${field}\` is ${kindOf(value)}, not text, and was ignored.`);
    else
      return {
        ok: false,
        failure: {
          code: 'field_invalid',
          message: `\`${written}\` is ${kindOf(value)}; it must be text.`,
          hint: `Write \`export const ${written} = "…"\`, or remove it.`,
          subject: [written],
        },
      };
  }
  if (!raw.hasStatus && raw.exports.includes('status'))
    warnings.push('`status` is not a function and was ignored; write one that returns an object, or rename this export.');
  const keepAlive = raw.values['KEEP_ALIVE'];
  if (keepAlive !== undefined && typeof keepAlive !== 'boolean')
    warnings.push(`\`KEEP_ALIVE\` is ${kindOf(keepAlive)}, not true or false, and was ignored.`);
  const kept = keepAlive === true ? 'declared' : keepAlive === false || raw.hasState === false ? null : 'state';
  return { ok: true, description: { ...texts, tools: tools ?? [], hasStatus: raw.hasStatus, channel: null, kept, warnings } };
}

const NEAR_MISSES = ['main', 'execute', 'handler', 'handle', 'call', 'invoke'];

/**
 * The declaration of a one-file tool: the name comes from the file, the rest from the doc comment and the type hints of
 * `run`. Data from the child is untrusted until validated here.
 */
export function describeRun(name: string, runtime: ExtensionRuntime): DescribeExtension {
  return (raw) => {
    if (markOf(raw.values['run']) !== 'function') return { ok: false, failure: explainMissingRun(raw, runtime) };
    const hints = readHints(raw.hints);
    const about = describeModule(raw, null);
    if (!about.ok) return about;
    const { description } = about;
    const outcome = describeTool(
      {
        label: description.name || NO_LABEL,
        name,
        description: hints?.description || description.description,
        parameters: hints?.parameters ?? { type: 'object' },
        execute: raw.values['run'],
      },
      ['run'],
    );
    if (!outcome.ok) return outcome;
    // `unknown` is a type too; only the reader of the hints knows which parameters have none.
    const advice = outcome.tool.warnings.filter((warning) => !warning.endsWith(NO_TYPE));
    const warnings = [...(hints?.warnings ?? [UNSEEN_PARAMETERS]), ...advice, ...(raw.toolWarnings?.[0] ?? [])];
    return { ok: true, description: { ...description, tools: [{ ...outcome.tool, warnings }] } };
  };
}

interface Hints {
  readonly description: string;
  readonly parameters: unknown;
  readonly warnings: readonly string[];
}

function readHints(hints: unknown): Hints | null {
  if (!isObject(hints)) return null;
  const { description, parameters, warnings } = hints;
  return {
    description: typeof description === 'string' ? description.trim() : '',
    parameters: parameters ?? { type: 'object' },
    warnings: Array.isArray(warnings) ? warnings.filter((warning) => typeof warning === 'string').slice(0, 200) : [],
  };
}

function explainMissingRun(raw: RawDescription, runtime: ExtensionRuntime): RawFailure {
  const isPython = runtime === 'python';
  const right = isPython ? '`def run(…):`' : '`export function run(…) { … }`';
  const run = raw.values['run'];
  if (raw.exports.includes('run') || run !== undefined)
    return {
      code: 'run_missing',
      message: `\`run\` is ${kindOf(run)}; it must be a function.`,
      hint: `Write ${right}; its return value is the result of the tool.`,
      subject: ['run'],
    };
  const message =
    raw.exports.length === 0
      ? `The file exports nothing; a one-file tool exports a function called \`run\`.`
      : `The file exports ${listed(raw.exports)}, but no function called \`run\`.`;
  const near =
    raw.exports.find((name) => nearestName(name, ['run']) !== null) ?? raw.exports.find((name) => NEAR_MISSES.includes(name.toLowerCase()));
  if (near !== undefined)
    return { code: 'run_missing', message, hint: `Did you mean \`run\` where it says \`${near}\`? Rename it.`, subject: [near] };
  const tool = raw.exports.find((name) => name === 'TOOL' || name === 'TOOLS');
  if (tool !== undefined)
    return {
      code: 'run_missing',
      message,
      hint: `A file with \`${tool}\` belongs in a folder of its own: extensions/<name>/extension.${isPython ? 'py' : 'ts'}. Here export ${right}.`,
      subject: [tool],
    };
  if (raw.exports.includes('recv') || raw.exports.includes('connect'))
    return { code: 'run_missing', message, hint: 'A channel belongs in extensions/channels/<channel name>; a tool exports `run`.' };
  if (raw.exports.includes('default'))
    return { code: 'run_missing', message, hint: `A default export is ignored. Export it by name: ${right}.`, subject: ['default'] };
  return { code: 'run_missing', message, hint: `Add ${right}${raw.exports.length === 0 && !isPython ? ', with `export` before it' : ''}.` };
}

const FUNCTIONS = ['connect', 'recv', 'send'] as const;
type ChannelFunction = (typeof FUNCTIONS)[number];

/** Names of these functions in other products. */
const OTHER_NAMES: Readonly<Record<ChannelFunction, RegExp>> = {
  connect: /^(?:start|init|initiali[sz]e|open|login|log_?in|set_?up|on_?start|begin)$/i,
  recv: /^(?:rec(?:ei|ie)ve|receive_?message|get_?message|next|next_?message|poll|listen|read|on_?message|fetch_?message|wait)$/i,
  send: /^(?:send_?message|send_?text|reply|respond|answer|write|post|publish|push|deliver)$/i,
};

/** A channel's declaration: three functions, and no tools. Data from the child is untrusted until validated here. */
export function describeChannel(runtime: ExtensionRuntime): DescribeExtension {
  return (raw) => {
    const incomplete = explainIncomplete(raw, runtime);
    if (incomplete !== null) return { ok: false, failure: incomplete };
    const about = describeModule(raw, null);
    if (!about.ok) return about;
    const { description } = about;
    const tool = raw.exports.find((name) => name === 'TOOL' || name === 'TOOLS' || name === 'run');
    const warnings =
      tool === undefined
        ? description.warnings
        : [
            ...description.warnings,
            `A channel has no tools, so \`${tool}\` is ignored. Tools belong in extensions/<name>/extension or extensions/tools/<tool>.`,
          ];
    return {
      ok: true,
      description: {
        ...description,
        description: description.description || docOf(raw.hints),
        channel: { send: (raw.sendParameters ?? 0) >= 2 ? 'answer' : 'message' },
        kept: 'channel',
        warnings,
      },
    };
  };
}

function docOf(hints: unknown): string {
  const text = isObject(hints) ? hints['description'] : null;
  return typeof text === 'string' ? text.trim() : '';
}

function explainIncomplete(raw: RawDescription, runtime: ExtensionRuntime): RawFailure | null {
  const lacking = FUNCTIONS.filter((name) => markOf(raw.values[name]) !== 'function');
  const [first] = lacking;
  if (first === undefined) return null;
  const wrong = lacking.filter((name) => raw.exports.includes(name) || raw.values[name] !== undefined);
  const missing = lacking.filter((name) => !wrong.includes(name));
  const said = [
    ...wrong.map((name) => `\`${name}\` is ${kindOf(raw.values[name])}`),
    ...(missing.length === 0 ? [] : [`${joined(missing)} ${missing.length === 1 ? 'is' : 'are'} missing`]),
  ];
  const message = `${said.join(', and ')}; a channel exports three functions: \`connect\`, \`recv\` and \`send\`.`;
  const [wrongFirst] = wrong;
  if (wrongFirst !== undefined)
    return { code: 'channel_incomplete', message, hint: `Make it a function: ${written(wrongFirst, runtime)}.`, subject: [wrongFirst] };
  return { code: 'channel_incomplete', message, ...nearMiss(raw, missing, runtime) };
}

function nearMiss(
  { exports }: RawDescription,
  missing: readonly ChannelFunction[],
  runtime: ExtensionRuntime,
): Pick<RawFailure, 'hint' | 'subject'> {
  const others = exports.filter((name) => !FUNCTIONS.some((known) => known === name));
  for (const name of missing) {
    const near = others.find((other) => nearestName(other, [name]) !== null) ?? others.find((other) => OTHER_NAMES[name].test(other));
    if (near !== undefined) return { hint: `Did you mean \`${name}\` where it says \`${near}\`? Rename it.`, subject: [near] };
  }
  const ending = runtime === 'python' ? 'py' : 'ts';
  if (exports.includes('run'))
    return {
      hint: `A tool with \`run\` belongs in extensions/tools/<tool>.${ending}; a channel exports \`connect\`, \`recv\` and \`send\`.`,
      subject: ['run'],
    };
  const tool = exports.find((name) => name === 'TOOL' || name === 'TOOLS');
  if (tool !== undefined)
    return {
      hint: `A file with \`${tool}\` belongs in a folder of its own: extensions/<name>/extension.${ending}. Here write ${written(missing[0] ?? 'connect', runtime)}.`,
      subject: [tool],
    };
  if (exports.includes('default'))
    return { hint: `A default export is ignored. Export each by its name: ${written('connect', runtime)}.`, subject: ['default'] };
  const add = `Add ${missing.map((name) => written(name, runtime)).join(', ')}`;
  return { hint: exports.length === 0 && runtime !== 'python' ? `${add}, each with \`export\` before it.` : `${add}.` };
}

function written(name: ChannelFunction, runtime: ExtensionRuntime): string {
  const parameters = name === 'send' ? 'message' : '';
  return runtime === 'python' ? `\`def ${name}(${parameters}):\`` : `\`export function ${name}(${parameters}) { … }\``;
}

function joined(names: readonly string[]): string {
  const shown = names.map((name) => `\`${name}\``);
  return shown.length < 2 ? shown.join('') : `${shown.slice(0, -1).join(', ')} and ${shown.at(-1)}`;
}

/** Validates the required declarations of a layout. */
export function describerOf({ id, kind, runtime }: Candidate): DescribeExtension {
  switch (kind) {
    case 'tool':
      return describeRun(id.slice(id.indexOf('/') + 1), runtime);
    case 'channel':
      return describeChannel(runtime);
    case 'tools':
    case 'mcp':
      return describeExtension;
  }
}
