import { locateInPython } from '#lib/runtime/python-interpreter.ts';
import type { DescribeExtension, RawFailure } from '#lib/runtime/runtime.ts';

/**
 * Declarations are validated with the same code for every language. This adapts the messages to Python and adds the
 * line that the child found in the source.
 */
export function inPython(describe: DescribeExtension): DescribeExtension {
  return (raw) => {
    const outcome = describe(raw);
    return outcome.ok ? outcome : { ok: false, failure: locateInPython(reworded(outcome.failure), raw) };
  };
}

const WORDS: readonly (readonly [RegExp, string])[] = [
  [/Write `export` before `const TOOL`, or add/g, 'Add'],
  [/export const /g, ''],
  [/`TOOLS = \[\.\.\.tools\]`/g, '`TOOLS = [*tools]`'],
  [/write `await` before it/g, 'use `asyncio.run(…)`, or create it without `async`'],
  [/, or `module\.exports = [^`]*`/g, ''],
  [/`execute\(args, ctx\) \{ … \}`/g, '`"execute": execute`, the function by its name, without parentheses'],
  [/`type: "string"`, not `type: String`/g, '`"type": "string"`, not `"type": str`'],
  [
    /`parameters: \{ city: \{ type: "string", description: "…", required: true \} \}`/g,
    '`"parameters": {"city": {"type": "string", "description": "…", "required": True}}`',
  ],
  [/`([\w$-]+): \{ type: ("[^"]*"), description: "…" \}`/g, '`"$1": {"type": $2, "description": "…"}`'],
  [/with `type: "object"`/g, 'with `"type": "object"`'],
  [/`parameters: z\.toJSONSchema\([^`]*`/g, '`"parameters": Model.model_json_schema()`'],
  [/`parameters: \{\}`/g, '`"parameters": {}`'],
  [/`(label|name|description|timeout_ms|required): (?=["\d[{t])/g, '`"$1": '],
  [/\bundefined\b/g, 'missing'],
  [/`Object\.values\(tools\)`/g, '`list(tools.values())`'],
  [/an object with label/g, 'a dict with label'],
  [/(?<=a tool is |must be one )an? ?object/g, 'a dict'],
  [/must be one object/g, 'must be one dict'],
  [/: true\b/g, ': True'],
  [/\bis null\b/g, 'is None'],
  [/\bis an object\b/g, 'is a dict'],
];

function reworded(failure: RawFailure): RawFailure {
  const inWords = (text: string): string => WORDS.reduce((words, [pattern, word]) => words.replace(pattern, word), text);
  return { ...failure, message: inWords(failure.message), ...(failure.hint === undefined ? {} : { hint: inWords(failure.hint) }) };
}
