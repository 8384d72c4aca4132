import { LIMITS } from '#lib/contract/limits.ts';
import type { DescribeExtension, RawDescription, RawFailure, ToolDescription } from '#lib/runtime/runtime.ts';
import { has, isObject, kindOf, markOf } from '#lib/schema/json-value.ts';
import { nearestName } from '#lib/schema/nearest-name.ts';
import { describeTool, missingFields, toolTitle } from './tool-fields.ts';
import type { Written } from './tool-fields.ts';

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
      const hint =
        markOf(tool) === 'function'
          ? 'If the function creates the tool, call it: put `()` after its name.'
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
export function describeModule(raw: RawDescription, tools: readonly ToolDescription[] | null): ReturnType<DescribeExtension> {
  const warnings: string[] = tools?.length === 0 ? ['`TOOLS` is an empty list; the extension has no tools.'] : [];
  const texts = { name: '', description: '', instructions: '' };
  for (const field of ['name', 'description', 'instructions'] as const) {
    const written = [field.toUpperCase(), field].find((key) => has(raw.values, key) && raw.values[key] !== null);
    if (written === undefined) continue;
    const value = raw.values[written];
    if (typeof value === 'string') texts[field] = value.trim();
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
