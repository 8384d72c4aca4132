import { expect, test } from 'vitest';
import type { RawDescription } from '#lib/runtime/runtime.ts';
import { describeExtension } from './describe-extension.ts';

const FUNCTION = { '@@type': 'function' };
const TOOL = {
  label: 'Weather',
  name: 'get_weather',
  description: 'Current weather of a city.',
  parameters: { city: { type: 'string', description: 'Name in English', required: true } },
  execute: FUNCTION,
};

function raw(values: Record<string, unknown>, exports: readonly string[] = Object.keys(values)): RawDescription {
  return { exports, values, hasStatus: exports.includes('status') };
}

function described(values: Record<string, unknown>) {
  const outcome = describeExtension(raw(values));
  if (!outcome.ok) throw new Error(outcome.failure.message);
  return outcome.description;
}

function failure(values: Record<string, unknown>, exports?: readonly string[]) {
  const outcome = describeExtension(raw(values, exports));
  if (outcome.ok) throw new Error('The extension was accepted.');
  return outcome.failure;
}

test('describes one tool with all optional fields', () => {
  const description = described({
    TOOL: {
      ...TOOL,
      annotations: { readOnlyHint: true, custom: 1 },
      timeout_ms: 5_000,
      output_schema: { type: 'string' },
      examples: [{ city: 'Oslo' }],
    },
    NAME: 'Weather',
    description: 'All about weather ',
    INSTRUCTIONS: 'Ask for one city at a time.',
    status: FUNCTION,
  });
  expect(description).toEqual({
    name: 'Weather',
    description: 'All about weather',
    instructions: 'Ask for one city at a time.',
    channel: null,
    kept: 'state',
    hasStatus: true,
    warnings: [],
    tools: [
      {
        name: 'get_weather',
        label: 'Weather',
        description: 'Current weather of a city.',
        parameters: {
          type: 'object',
          properties: { city: { type: 'string', description: 'Name in English' } },
          required: ['city'],
          additionalProperties: false,
        },
        outputSchema: { type: 'string' },
        annotations: { readOnlyHint: true, custom: 1 },
        timeoutMs: 5_000,
        examples: [{ city: 'Oslo' }],
        warnings: [],
      },
    ],
  });
});

test('describes a list, and warns about an empty one', () => {
  expect(described({ TOOLS: [TOOL, { ...TOOL, name: 'get_time' }] }).tools.map((tool) => tool.name)).toEqual(['get_weather', 'get_time']);
  expect(described({ TOOLS: [] })).toMatchObject({
    name: '',
    description: '',
    instructions: '',
    warnings: ['`TOOLS` is an empty list; the extension has no tools.'],
  });
});

test('warns when `status` is not a function', () => {
  const outcome = describeExtension({ ...raw({ TOOL, status: 5 }), hasStatus: false });
  expect(outcome).toMatchObject({
    ok: true,
    description: { hasStatus: false, warnings: [expect.stringContaining('`status` is not a function')] },
  });
});

test('returns lint results as warnings', () => {
  const { tools, warnings } = described({
    TOOL: { ...TOOL, name: 'weather', timeoutMs: 3, parameters: { a: { type: 'str' } } },
    name: FUNCTION,
  });
  expect(tools[0]?.warnings).toEqual([
    'parameters/a: the type "str" is unknown and was treated as string.',
    'The name "weather" contains no verb; begin it with one, as in "get_weather".',
    'The parameter "a" has no description; say what it means, in which unit or format.',
    '`timeoutMs` is ignored; did you mean `timeout_ms`?',
  ]);
  expect(warnings).toEqual(['The export `name` is a function, not text, and was ignored.']);
});

test.each<[readonly string[], string, string, readonly string[] | undefined]>([
  [[], 'The file exports nothing; it must export `TOOL` or `TOOLS`.', 'Write `export` before `const TOOL`', undefined],
  [['Tool'], 'The file exports `Tool`, but neither `TOOL` nor `TOOLS`.', 'Did you mean `TOOL` where it says `Tool`?', ['Tool']],
  [['tools', 'x'], 'The file exports `tools`, `x`, but', 'Did you mean `TOOLS` where it says `tools`?', ['tools']],
  [['default'], 'The file exports `default`, but', 'A default export is ignored.', ['default']],
  [['run'], 'The file exports `run`, but', 'belongs in extensions/tools/', ['run']],
  [['connect', 'recv', 'send'], 'The file exports `connect`', 'A channel belongs in extensions/channels/', undefined],
  [['a', 'b', 'c', 'd', 'e', 'f', 'g'], 'The file exports `a`, `b`, `c`, `d`, `e` and 2 more', 'Add `export const TOOL', undefined],
  [
    ['name', 'description', 'parameters', 'execute'],
    'The file exports `name`, `description`',
    'Put them into one object: `export const TOOL = { … }`, or `module.exports = { TOOL: { … } }`.',
    ['execute'],
  ],
  [['TOOL'], '`TOOL` is exported, but it is undefined.', 'Check where its value comes from', ['TOOL']],
])('export_missing names the existing exports: %j', (exports, message, hint, subject) => {
  const found = failure({}, exports);
  expect(found.code).toBe('export_missing');
  expect(found.message).toContain(message);
  expect(found.hint).toContain(hint);
  expect(found.subject).toEqual(subject);
});

test('explains fields in an inner object, and a function in place of a tool', () => {
  const { execute, ...rest } = TOOL;
  expect(failure({ TOOL: { type: 'function', function: rest, execute } }).hint).toContain(
    'Move the fields of `function` into the tool itself.',
  );
  expect(failure({ TOOLS: [[TOOL]] }).hint).toBe('A list in the list has to be spread: `TOOLS = [...tools]`.');
  expect(failure({ TOOL: { '@@type': 'promise' } }).hint).toBe('Wait for it: write `await` before it.');
  expect(failure({ TOOLS: [FUNCTION] }).hint).toBe(
    'If the function creates the tool, call it: put `()` after its name. If the tool runs it, put an object with label, name, description, parameters and execute here, or export it as `run` from a file in extensions/tools.',
  );
});

test('removes the indent of a text of several lines', () => {
  const text = '\n    Finds places:\n\n      - near\n      - far\n  ';
  const { tools, instructions } = described({ TOOL: { ...TOOL, description: text }, INSTRUCTIONS: `First line.\n    ${text.trim()}` });
  expect(tools[0]?.description).toBe('Finds places:\n\n  - near\n  - far');
  expect(instructions).toBe('First line.\nFinds places:\n\n  - near\n  - far');
});

test('ignores an undefined TOOL beside TOOLS', () => {
  expect(described({ TOOL: { '@@type': 'undefined' }, TOOLS: [TOOL] }).tools).toHaveLength(1);
  expect(failure({ TOOL, TOOLS: [TOOL] })).toMatchObject({ code: 'export_ambiguous', subject: ['TOOL'] });
});

test('fields_missing names all missing fields of all tools, and similar names', () => {
  const { execute: _, label: __, ...rest } = TOOL;
  const found = failure({ TOOLS: [TOOL, { ...rest, exec: FUNCTION }, { name: 'get_x', lable: 'X', execute: { '@@type': 'undefined' } }] });
  expect(found).toEqual({
    code: 'fields_missing',
    message:
      '`TOOLS[1]` ("get_weather") lacks `label` (the tag shown with it), `execute` (the function that runs it).\n' +
      '`TOOLS[2]` ("get_x") lacks `label` (the tag shown with it), `description` (what it does and when to use it), `parameters` (its arguments), `execute` (the function that runs it).',
    hint: 'Did you mean `execute` where it says `exec`? Rename it. Did you mean `label` where it says `lable`? Rename it. A tool without parameters has `parameters: {}`. `execute` is there but undefined; look at where its value comes from.',
    subject: ['TOOLS', 1],
  });
});

test.each<[string, Record<string, unknown>, string, readonly (string | number)[], string]>([
  ['TOOL is a list', { TOOL: [TOOL] }, 'tool_invalid', ['TOOL'], '`TOOL` is a list; it must be one object.'],
  ['TOOL is a function', { TOOL: FUNCTION }, 'tool_invalid', ['TOOL'], '`TOOL` is a function; a tool is an object.'],
  ['TOOL is null', { TOOL: null }, 'tool_invalid', ['TOOL'], '`TOOL` is null; a tool is an object.'],
  ['TOOLS is a tool', { TOOLS: TOOL }, 'tool_invalid', ['TOOLS'], '`TOOLS` is an object; it must be a list of tools.'],
  ['an element is text', { TOOLS: [TOOL, 'x'] }, 'tool_invalid', ['TOOLS', 1], '`TOOLS[1]` is a string; a tool is an object.'],
  [
    'too many',
    { TOOLS: Array.from({ length: 1_001 }, () => TOOL) },
    'tool_invalid',
    ['TOOLS'],
    '`TOOLS` has 1001 tools; an extension may have 1000.',
  ],
  ['label is empty', { TOOL: { ...TOOL, label: ' ' } }, 'field_invalid', ['TOOL', 'label'], '`label` of `TOOL` ("get_weather") is empty.'],
  [
    'label is a number',
    { TOOL: { ...TOOL, label: 1 } },
    'field_invalid',
    ['TOOL', 'label'],
    '`label` of `TOOL` ("get_weather") is a number; it must be text.',
  ],
  [
    'name breaks the rule',
    { TOOL: { ...TOOL, name: 'get weather' } },
    'field_invalid',
    ['TOOL', 'name'],
    '`name` of `TOOL` ("get weather") is not valid. A name is a letter, then letters, digits, `_` or `-`, 64 characters at most.',
  ],
  [
    'description is null',
    { TOOL: { ...TOOL, description: null } },
    'field_invalid',
    ['TOOL', 'description'],
    '`description` of `TOOL` ("get_weather") is null; it must be text.',
  ],
  [
    'a name twice',
    { TOOLS: [TOOL, TOOL] },
    'duplicate_tool_name',
    ['TOOLS', 1, 'name'],
    'The tool name “get_weather” is defined twice in this file: in `TOOLS[0]` and in `TOOLS[1]`.',
  ],
  [
    'an annotation of the wrong type',
    { TOOL: { ...TOOL, annotations: { readOnlyHint: 'yes' } } },
    'field_invalid',
    ['TOOL', 'annotations', 'readOnlyHint'],
    '`annotations` of `TOOL` ("get_weather") has a `readOnlyHint` of the wrong type.',
  ],
  [
    'annotations is a list',
    { TOOL: { ...TOOL, annotations: [] } },
    'field_invalid',
    ['TOOL', 'annotations'],
    '`annotations` of `TOOL` ("get_weather") is a list; it must be an object of hints in JSON.',
  ],
  [
    'timeout_ms is text',
    { TOOL: { ...TOOL, timeout_ms: '5s' } },
    'field_invalid',
    ['TOOL', 'timeout_ms'],
    '`timeout_ms` of `TOOL` ("get_weather") is a string; it must be a whole number of milliseconds from 1 to 3600000.',
  ],
  [
    'timeout_ms is none',
    { TOOL: { ...TOOL, timeout_ms: 0 } },
    'field_invalid',
    ['TOOL', 'timeout_ms'],
    '`timeout_ms` of `TOOL` ("get_weather") is 0; it must be a whole number of milliseconds from 1 to 3600000.',
  ],
  [
    'output_schema is wrong',
    { TOOL: { ...TOOL, output_schema: { type: 'text' } } },
    'field_invalid',
    ['TOOL', 'output_schema', 'type'],
    '`output_schema` of `TOOL` ("get_weather") is not a usable JSON Schema: `output_schema/type` is "text"; a type is one of string, integer, number, boolean, array, object, null.',
  ],
  [
    'examples is an object',
    { TOOL: { ...TOOL, examples: {} } },
    'field_invalid',
    ['TOOL', 'examples'],
    '`examples` of `TOOL` ("get_weather") is an object; it must be a list of arguments.',
  ],
  [
    'an example is not JSON',
    { TOOL: { ...TOOL, examples: [{ at: { '@@type': 'bigint' } }] } },
    'field_invalid',
    ['TOOL', 'examples', 0, 'at'],
    '`examples` of `TOOL` ("get_weather") has at 0/at what is a bigint; only JSON is allowed here.',
  ],
  [
    'execute is text',
    { TOOL: { ...TOOL, execute: 'run' } },
    'execute_not_callable',
    ['TOOL', 'execute'],
    '`execute` of `TOOL` ("get_weather") is a string; it must be a function.',
  ],
  [
    'parameters are wrong',
    { TOOLS: [TOOL, { ...TOOL, name: 'get_x', parameters: { city: { type: 5 } } }] },
    'parameters_invalid',
    ['TOOLS', 1, 'parameters', 'city', 'type'],
    'In `TOOLS[1]` ("get_x"): `parameters/city/type` is a number; a type is a word: string, integer, number, boolean, array or object.',
  ],
  ['NAME is a number', { TOOL, NAME: 5 }, 'field_invalid', ['NAME'], '`NAME` is a number; it must be text.'],
])('reports that %s', (_, values, code, subject, message) => {
  expect(failure(values)).toMatchObject({ code, subject, message });
});

test('suggests a valid name', () => {
  expect(failure({ TOOL: { ...TOOL, name: '1 get weather!' } }).hint).toBe('For example `name: "get_weather"`.');
  expect(failure({ TOOL: { ...TOOL, name: '天' } }).hint).toBe('For example `name: "get_weather"`.');
});

test.each([
  [{}, true, 'state'],
  [{}, false, null],
  [{ KEEP_ALIVE: true }, false, 'declared'],
  [{ KEEP_ALIVE: false }, true, null],
  [{ KEEP_ALIVE: 'yes' }, false, null],
] as const)('keeps the process for its state or by KEEP_ALIVE: %j', (values, hasState, kept) => {
  const outcome = describeExtension({ exports: [], values: { TOOLS: [], ...values }, hasStatus: false, hasState });
  expect(outcome).toMatchObject({ ok: true, description: { kept } });
  const warned = outcome.ok && outcome.description.warnings.some((warning) => warning.includes('KEEP_ALIVE'));
  expect(warned).toBe(Object.values(values).includes('yes'));
});
