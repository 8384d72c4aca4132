import { describe, expect, it } from 'vitest';
import { readPasted as readFor } from './use-paste.ts';

const readPasted = (text: string, parameters: readonly string[] = ['name', 'age']) => readFor(text, { tool: 'greet', parameters });

const args = { name: 'Ada', age: 36 };

describe('text pasted outside the fields', () => {
  it.each([
    ['an object', JSON.stringify(args)],
    ['an object surrounded by whitespace', `\n\n ${JSON.stringify(args, null, 2)} \n`],
    ['an object in a Markdown code block', `\n\`\`\`json\n${JSON.stringify(args, null, 2)}\n\`\`\`\n`],
    ['an object that contains a code fence, in a code block', `\`\`\`\`\n${JSON.stringify(args)}\n\`\`\`\``],
    ['a JSON-encoded object', JSON.stringify(JSON.stringify(args))],
  ])('replaces the arguments: %s', (_, text) => {
    expect(readPasted(text)).toEqual({ payload: args });
  });

  it.each([
    ['a trailing comma', '{"name": "Ada",}', /^The pasted text is not valid JSON\. Line 1, column \d+: /],
    ['an unclosed object', '{"name": "Ada"', /^The pasted text is not valid JSON\. Line 1, column \d+: .*never closed/],
    ['a duplicate name', '{"a": 1, "a": 2}', /^The pasted text is not valid JSON\. /],
    [
      'an error in a code block, with its line in the pasted text',
      '```\n{"name": 1,}\n```',
      /^The pasted text is not valid JSON\. Line 2, /,
    ],
    ['a list', '[{"name": "Ada"}]', /^The pasted text is a list\. The arguments are one JSON object/],
    ['a JSON-encoded list', '"[1]"', /is a list/],
  ])('shows why it cannot be used: %s', (_, text, problem) => {
    expect(readPasted(text)).toEqual({ problem: expect.stringMatching(problem) });
  });

  it.each(['', 'hello', '36', '"a quotation", she said', '"words"', '   ', '```sh\nls -l\n```', '```{}```'])(
    'is ignored if it is not meant as JSON: %j',
    (text) => {
      expect(readPasted(text)).toBeNull();
    },
  );

  const request = (name: string) => JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } });

  it('is reduced to the arguments of a request', () => {
    expect(readPasted(request('greet'))).toEqual({ payload: args });
    expect(readPasted(JSON.stringify({ arguments: args, timeout_ms: 5_000 }))).toEqual({ payload: args });
    expect(readPasted(request('other'))).toEqual({ problem: 'The pasted call is for "other", but this is the form of greet.' });
  });

  it('is used unchanged if the tool has a parameter named arguments, or with other members', () => {
    const body = { arguments: args };
    expect(readPasted(JSON.stringify(body), ['arguments'])).toEqual({ payload: body });
    expect(readPasted(JSON.stringify({ ...body, name: 'x' }))).toEqual({ payload: { ...body, name: 'x' } });
    expect(readPasted(request('greet'), ['method'])).toEqual({ payload: JSON.parse(request('greet')) });
  });

  it('may have a byte order mark and no-break spaces between tokens; strings keep theirs', () => {
    expect(readPasted('\ufeff{\u00a0"name":\u00a0"A\u00a0\\"\u00a0B",\u2003"age": 36}')).toEqual({
      payload: { name: 'A\u00a0"\u00a0B', age: 36 },
    });
  });
});
