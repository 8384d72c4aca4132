import type { ExtensionRuntime } from '#lib/contract/extension.ts';
import { NO_LABEL } from '#lib/contract/tool.ts';
import type { DescribeExtension, RawDescription, RawFailure } from '#lib/runtime/runtime.ts';
import { isObject, kindOf, markOf } from '#lib/schema/json-value.ts';
import { UNSEEN_PARAMETERS } from '#lib/schema/hints/read-run.ts';
import { nearestName } from '#lib/schema/nearest-name.ts';
import { NO_TYPE } from '#lib/schema/lint-tool.ts';
import { describeModule, describeExtension } from './describe-extension.ts';
import { describeTool } from './tool-fields.ts';
import type { Candidate } from './build.ts';

const NEAR_MISSES = ['main', 'execute', 'handler', 'handle', 'call', 'invoke'];

/**
 * The declaration of a one-file tool: the name comes from the file, the rest from the doc comment and the type hints of
 * `run`. Data from the child is untrusted until validated here.
 */
export function describeRun(name: string, runtime: ExtensionRuntime): DescribeExtension {
  return (raw) => {
    if (markOf(raw.values['run']) !== 'function') return { ok: false, failure: explainMissing(raw, runtime) };
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

function explainMissing(raw: RawDescription, runtime: ExtensionRuntime): RawFailure {
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
      : `The file exports ${raw.exports
          .slice(0, 5)
          .map((name) => `\`${name.slice(0, 80)}\``)
          .join(', ')}, but no function called \`run\`.`;
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
    ...(missing.length === 0 ? [] : [`${listed(missing)} ${missing.length === 1 ? 'is' : 'are'} missing`]),
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

function listed(names: readonly string[]): string {
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
