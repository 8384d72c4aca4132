import { expect, test } from 'vitest';
import { describeChannel } from './describe-extension.ts';

const FUNCTION = { '@@type': 'function' };
const WHOLE = { connect: FUNCTION, recv: FUNCTION, send: FUNCTION };

function describe(values: Record<string, unknown>, more: { hints?: unknown; sendParameters?: number; exports?: readonly string[] } = {}) {
  return describeChannel('node')({ exports: Object.keys(values), values, hasStatus: false, ...more });
}

function failure(exports: readonly string[], runtime: 'node' | 'python' = 'node') {
  const values = Object.fromEntries(exports.map((name) => [name, FUNCTION]));
  const outcome = describeChannel(runtime)({ exports, values, hasStatus: false });
  if (outcome.ok) throw new Error('It was accepted.');
  return outcome.failure;
}

test('describes a channel without tools, with the description from its comments', () => {
  expect(describe({ ...WHOLE, NAME: 'Line' }, { hints: { description: ' Reads a line. ' }, sendParameters: 1 })).toEqual({
    ok: true,
    description: {
      name: 'Line',
      description: 'Reads a line.',
      instructions: '',
      tools: [],
      hasStatus: false,
      channel: { send: 'message' },
      kept: 'channel',
      warnings: [],
    },
  });
});

test('prefers DESCRIPTION to the comments', () => {
  expect(describe({ ...WHOLE, DESCRIPTION: 'Written out.' }, { hints: { description: 'A comment.' } })).toMatchObject({
    description: { description: 'Written out.' },
  });
});

test.each([
  [0, 'message'],
  [1, 'message'],
  [2, 'answer'],
  [3, 'answer'],
])('passes to a send with %i parameters: %s', (sendParameters, send) => {
  expect(describe(WHOLE, { sendParameters })).toMatchObject({ description: { channel: { send } } });
});

test('warns about a tool beside the three functions, and ignores it', () => {
  expect(describe({ ...WHOLE, TOOL: {} })).toMatchObject({ description: { warnings: [expect.stringContaining('`TOOL` is ignored')] } });
});

test.each([
  [['connect', 'recv'], '`send` is missing', undefined],
  [[], '`connect`, `recv` and `send` are missing', undefined],
  [['connect', 'recv', 'send_message'], '`send` is missing', 'send_message'],
  [['conect', 'recv', 'send'], '`connect` is missing', 'conect'],
  [['start', 'recv', 'send'], '`connect` is missing', 'start'],
  [['connect', 'poll', 'send'], '`recv` is missing', 'poll'],
  [['connect', 'Recv', 'send'], '`recv` is missing', 'Recv'],
  [['run'], '`connect`, `recv` and `send` are missing', 'run'],
  [['TOOLS', 'connect', 'recv'], '`send` is missing', 'TOOLS'],
  [['default'], '`connect`, `recv` and `send` are missing', 'default'],
])('reports missing functions in %j: %s', (exports, message, near) => {
  const found = failure(exports);
  expect(found.code).toBe('channel_incomplete');
  expect(found.message).toContain(message);
  expect(found.subject).toEqual(near === undefined ? undefined : [near]);
});

test('names an export that is not a function, with its type', () => {
  const outcome = describe({ ...WHOLE, recv: 'later', send: undefined }, { exports: ['connect', 'recv', 'send'] });
  expect(outcome).toMatchObject({
    ok: false,
    failure: { subject: ['recv'], message: expect.stringContaining('`recv` is a string, and `send` is undefined') },
  });
});

test('shows functions in Python syntax', () => {
  expect(failure(['connect', 'recv'], 'python').hint).toBe('Add `def send(message):`.');
});
