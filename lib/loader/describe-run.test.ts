import { expect, test } from 'vitest';
import { describeRun } from './describe-extension.ts';

const FUNCTION = { '@@type': 'function' };
const HINTS = {
  description: 'Returns the length of a text.',
  parameters: { type: 'object', properties: {}, additionalProperties: false },
  warnings: ['Look.'],
};

const describe = (
  values: Record<string, unknown>,
  hints: unknown = HINTS,
  exports = Object.keys(values),
  runtime: 'node' | 'python' = 'node',
) => describeRun('count_words', runtime)({ exports, values, hasStatus: false, hints });

function failure(values: Record<string, unknown>, exports?: readonly string[], runtime?: 'node' | 'python') {
  const outcome = describe(values, HINTS, [...(exports ?? Object.keys(values))], runtime);
  if (outcome.ok) throw new Error('It was accepted.');
  return outcome.failure;
}

test('reads the name from the file, and the rest from the hints and the exports', () => {
  expect(describe({ run: FUNCTION, NAME: 'Text', INSTRUCTIONS: 'Be brief.' })).toMatchObject({
    ok: true,
    description: {
      name: 'Text',
      instructions: 'Be brief.',
      tools: [
        {
          name: 'count_words',
          label: 'Text',
          description: 'Returns the length of a text.',
          parameters: HINTS.parameters,
          warnings: ['Look.'],
        },
      ],
    },
  });
});

test('uses DESCRIPTION when run has no comment', () => {
  expect(describe({ run: FUNCTION, DESCRIPTION: 'Of the file.' }, { ...HINTS, description: '' })).toMatchObject({
    description: { tools: [{ description: 'Of the file.', label: 'Tools' }] },
  });
});

test('accepts any arguments, with a warning, when the parameters are unknown', () => {
  const outcome = describe({ run: FUNCTION }, null);
  expect(outcome).toMatchObject({ ok: true, description: { tools: [{ parameters: { type: 'object' } }] } });
  expect(JSON.stringify(outcome)).toContain('are not visible');
});

test('does not warn about a parameter of type unknown', () => {
  const parameters = { type: 'object', properties: { value: { description: 'Whatever is to be kept.' } }, additionalProperties: false };
  expect(describe({ run: FUNCTION }, { ...HINTS, parameters, warnings: [] })).toMatchObject({ description: { tools: [{ warnings: [] }] } });
});

test.each<readonly [what: string, exports: readonly string[], hint: RegExp, subject: string | undefined]>([
  ['another case', ['Run'], /Did you mean `run` where it says `Run`/, 'Run'],
  ['another word', ['execute'], /Did you mean `run` where it says `execute`/, 'execute'],
  ['a default export', ['default'], /Export it by name/, 'default'],
  ['the form with TOOL', ['TOOL'], /extensions\/<name>\/extension\.ts/, 'TOOL'],
  ['a channel', ['connect', 'recv', 'send'], /extensions\/channels/, undefined],
  ['nothing', [], /Add `export function run/, undefined],
])('reports that run is missing: %s', (_, exports, hint, subject) => {
  const found = failure({}, exports);
  expect(found.code).toBe('run_missing');
  expect(found.hint).toMatch(hint);
  expect(found.subject?.[0]).toBe(subject);
});

test('reports that run is not a function, in terms of its language', () => {
  expect(failure({ run: 5 })).toMatchObject({ code: 'run_missing', message: '`run` is a number; it must be a function.' });
  expect(failure({}, [], 'python').hint).toContain('def run(');
});

test('refuses parameters that are not a valid schema', () => {
  expect(describe({ run: FUNCTION }, { ...HINTS, parameters: { type: 'object', properties: { a: { type: 'strnig' } } } })).toMatchObject({
    ok: false,
    failure: { code: 'parameters_invalid', subject: ['run', 'parameters', 'properties', 'a', 'type'] },
  });
});
