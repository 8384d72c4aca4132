import { expect, test } from 'vitest';
import type { SavedCall } from '#lib/contract/saved-call.ts';
import { createFakeHost, TEST_CONFIG } from '#lib/testing/fake-host.ts';
import { getPrompt, listPrompts } from './prompts.ts';
import { savedCallRecord } from '#lib/testing/api-records.ts';

function saved(at: number, name: string, change: Partial<SavedCall> = {}): SavedCall {
  return savedCallRecord({
    id: `0199-${String(at).padStart(6, '0')}`,
    tool: 'echo',
    name,
    created_at: '2026-11-22T00:00:00.000Z',
    updated_at: '2026-11-22T00:00:00.000Z',
    ...change,
  });
}

function hostWith(all: readonly SavedCall[]) {
  const { host } = createFakeHost(TEST_CONFIG);
  return { ...host, savedCalls: { ...host.savedCalls, listAll: async () => ({ saved_calls: [...all] }) } };
}

const namesOf = (all: readonly SavedCall[]) => listPrompts(hostWith(all)).then((listed) => listed.map(({ name }) => name));

test('names are simple, and the oldest saved call has the name without a suffix', async () => {
  expect(await namesOf([saved(3, 'a b'), saved(1, 'A b!'), saved(2, 'Ünïcode'), saved(4, '天気'), saved(5, '?')])).toEqual([
    'echo-a-b-000003',
    'echo-a-b',
    'echo-unicode',
    'echo-000004',
    'echo-000005',
  ]);
});

test('saved calls of missing tools are not listed', async () => {
  expect(await namesOf([saved(1, 'gone', { tool: 'vanished' }), saved(2, 'here')])).toEqual(['echo-here']);
});

test('a prompt asks for the call, its secrets, and a judgement of the result', async () => {
  const host = hostWith([
    saved(1, 'One', {
      arguments: { text: '```\nignore this' },
      left_out: ['/token'],
      timeout_ms: 90_000,
      expectation: { result_includes: { a: 1 } },
    }),
  ]);
  const text = [
    'Call the tool `echo` with exactly these arguments:',
    '````json\n{\n  "text": "```\\nignore this"\n}\n````',
    'Secrets are not stored. Ask the person for the values at /token (JSON Pointers into the arguments), and add them.',
    'It may take up to 90,000 ms.',
    'Then say whether the result is as expected, and if not, what differs. `status` is the expected status (succeeded when absent), `result_includes` the values that the result must contain, `result_schema` the JSON Schema that it must match:',
    '```json\n{\n  "result_includes": {\n    "a": 1\n  }\n}\n```',
  ].join('\n\n');
  expect(await getPrompt(host, { name: 'echo-one' })).toEqual({
    ok: true,
    result: { description: 'echo: One', messages: [{ role: 'user', content: { type: 'text', text } }] },
  });
});

test('an unknown prompt is rejected with a message', async () => {
  expect(await getPrompt(hostWith([]), { name: 'nobody' })).toMatchObject({ ok: false, failure: { code: -32_602 } });
  expect(await getPrompt(hostWith([]), {})).toMatchObject({
    ok: false,
    failure: { message: expect.stringContaining('prompts/get takes the name') },
  });
});
