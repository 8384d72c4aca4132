import type { ExtensionRuntime } from '#lib/contract/extension.ts';
import { NO_LABEL } from '#lib/contract/tool.ts';
import type { DescribeExtension, RawDescription, RawFailure } from '#lib/runtime/runtime.ts';
import { isObject, kindOf, markOf } from '#lib/schema/json-value.ts';
import { UNSEEN_PARAMETERS } from '#lib/schema/hints/read-run.ts';
import { nearestName } from '#lib/schema/nearest-name.ts';
import { NO_TYPE } from '#lib/schema/schema-advice.ts';
import { describeModule } from './describe-extension.ts';
import { describeTool } from './tool-fields.ts';

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
      hint: `Write ${right}; what it returns is the result of the tool.`,
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
    return { code: 'run_missing', message, hint: `A default export is not read. Export it by name: ${right}.`, subject: ['default'] };
  return { code: 'run_missing', message, hint: `Add ${right}${raw.exports.length === 0 && !isPython ? ', with `export` before it' : ''}.` };
}
