import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { COPY_FORMS } from '#components/calls/CopyAsMenu.tsx';
import '#lib/contract/exact-json.ts';
import { readPasted } from './use-paste.ts';

const TOOL = 'get_weather';
const target = { tool: TOOL, parameters: ['city', 'days'] };
const call = { tool: TOOL, arguments: { city: 'Oslo', days: 2 }, secrets: [], origin: 'http://127.0.0.1:3000' };

/** Texts that could end a string, start another one or have a meaning in a shell, TypeScript, Python or JSON. */
const ODD = [
  '',
  "it's",
  `'"\\'\\"`,
  '"""',
  "'''",
  '$(id) `id` ${x} !x %s',
  '\\',
  '\\\n',
  'a\n  b\r\n\tc',
  "\nJSON\n <<'JSON'",
  'é😀\u2028\u2029\u0000\u001F\u007F\u00A0\uFEFF',
  '\uD83D',
  '/*',
  '//',
  '#',
  ' })',
  ', timeout_ms: 5 })',
  ', "timeout_ms": 5}).encode(),',
  '),\n});\nif (!response.ok)',
  ',]',
  ', }',
  'None',
  'True, False',
  'null',
  '-H',
  '--data-raw',
  'constructor',
  'hasOwnProperty',
  'length',
];
/** Any code points. The unit `binary` of fc.string first makes a table of all of them, which takes a second. */
const points = fc.array(fc.integer({ min: 0, max: 0x10_ff_ff })).map((each) => String.fromCodePoint(...each));
const text = fc.oneof(
  fc.constantFrom(...ODD),
  points,
  fc.array(fc.constantFrom(...ODD)).map((parts) => parts.join('')),
);
const name = text.filter((each) => !/__proto__|key|token|secret|pass|auth|cred/i.test(each));
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    text,
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.integer(),
    fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(name, tie('value'), { maxKeys: 4 }),
  ),
}));
const odd = fc.dictionary(name, value, { maxKeys: 6 });

describe.each(COPY_FORMS)('$label', ({ id, write }) => {
  it('is parsed to the copied arguments, whatever they are', () => {
    fc.assert(
      fc.property(odd, fc.option(fc.integer({ min: 1, max: 100_000 })), fc.boolean(), fc.boolean(), (args, timeoutMs, needsToken, crlf) => {
        const copied = write({ ...call, arguments: args, timeoutMs, needsToken });
        const pasted = readPasted(crlf ? copied.replaceAll('\n', '\r\n') : `\n${copied}\n`, target);
        // Compared as text, since a bigint and -0 are sent as digits.
        expect(JSON.stringify(pasted)).toBe(JSON.stringify({ payload: args }));
      }),
      { numRuns: 300 },
    );
  });

  it.each(ODD)('keeps %j as a value and as a name', (each) => {
    const args = { [each]: [each, { [each]: each }] };
    expect(readPasted(write({ ...call, arguments: args }), target)).toEqual({ payload: args });
  });

  it('is parsed in a code block, and with arguments that are too long for a command line', () => {
    const args = { city: `${ODD.join('')}${'é"\''.repeat(60_000)}` };
    expect(readPasted(`\`\`\`\n${write({ ...call, arguments: args })}\n\`\`\``, target)).toEqual({ payload: args });
  });

  it('is rejected if it is for another tool', () => {
    const problem = `The pasted call is for "other/one", but this is the form of ${TOOL}.`;
    expect(readPasted(write({ ...call, tool: 'other/one' }), target)).toEqual({ problem });
  });

  it('reports errors in edited text', () => {
    const broken = write(call).replace('"Oslo"', id === 'typescript' || id === 'python' ? 'Oslo' : '"Oslo');
    expect(readPasted(broken, target)).toEqual({ problem: expect.stringMatching(/not valid JSON\./) });
  });
});

test.each([
  'curl https://example.org',
  "curl -d '{}' http://127.0.0.1:3000/api/v1/tools/get_weather/call",
  "curl -sS http://127.0.0.1:3000/x --data-raw '{}' | jq .",
  'npx switchboard list',
  "curl -sS http://127.0.0.1:3000/api/v1/tools --data-raw '{}'",
  "SWITCHBOARD_TOKEN='x' npx switchboard call get_weather",
  "fetch('http://127.0.0.1:3000')",
  'const x = 1;',
  'import requests\nrequests.get("x")',
])('says what can be pasted instead of the code %j', (copied) => {
  expect(readPasted(copied, target)).toEqual({ problem: expect.stringMatching(/Paste the arguments as JSON, .*curl, MCP request/) });
});

test.each(['a curl of hair', 'constant', 'imported json', 'npx', 'from here to there'])('ignores the prose %j', (copied) => {
  expect(readPasted(copied, target)).toBeNull();
});
