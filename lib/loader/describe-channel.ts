import type { ExtensionRuntime } from '#lib/contract/extension.ts';
import type { DescribeExtension, RawDescription, RawFailure } from '#lib/runtime/runtime.ts';
import { isObject, kindOf, markOf } from '#lib/schema/json-value.ts';
import { nearestName } from '#lib/schema/nearest-name.ts';
import { describeModule } from './describe-extension.ts';

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
            `A channel has no tools, so \`${tool}\` is not read. Tools belong in extensions/<name>/extension or extensions/tools/<tool>.`,
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
    return { hint: `A default export is not read. Export each by its name: ${written('connect', runtime)}.`, subject: ['default'] };
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
