import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { answerList, hasContent, problemOfThrown, textOfList } from './answer.ts';

const read = (list: object) => Buffer.from(textOfList(list).body).toString('utf8');

it('writes the JSON of a list', () => {
  const list = { version: 3, none: undefined, empty: [], tools: [{ name: 'ä', of: null }, undefined, 1] };
  expect(read(list)).toBe(JSON.stringify(list));
});

it('serializes an element once, and returns a new ETag for a new text', () => {
  let written = 0;
  const tool = {
    toJSON() {
      written += 1;
      return { name: 'a' };
    },
  };
  const one = { version: 1, tools: [tool] };
  expect(textOfList(one)).toBe(textOfList(one));
  expect(textOfList({ version: 1, tools: [tool] }).tag).toBe(textOfList(one).tag);
  expect(textOfList({ version: 2, tools: [tool] }).tag).not.toBe(textOfList(one).tag);
  expect(written).toBe(1);
});

it.each([
  ['"a"', true],
  ['W/"a"', true],
  ['"b", "a"', true],
  ['*', true],
  ['"b"', false],
  ['', false],
  [undefined, false],
])('compares If-None-Match %s with the ETag', (header, expected) => {
  expect(hasContent(header, 'W/"a"')).toBe(expected);
});

const long = { version: 1, tools: Array.from({ length: 100 }, (_, at) => ({ name: `tool_${at}`, description: 'Adds two numbers.' })) };

it('compresses a long list for clients that accept it', async () => {
  const answers = await Promise.all([answerList(long, undefined, true), answerList(long, undefined, true)]);
  for (const answered of answers) {
    const body = Buffer.from(await answered.arrayBuffer());
    expect(Object.fromEntries(answered.headers)).toMatchObject({
      'content-encoding': 'gzip',
      'content-length': String(body.length),
      vary: 'Accept-Encoding',
    });
    expect(JSON.parse(gunzipSync(body).toString('utf8'))).toEqual(long);
  }
});

it.each([
  ['a long list for a client that does not accept it', long, false],
  ['a short list', { version: 1, tools: [] }, true],
])('does not compress %s', async (_, list, takesGzip) => {
  const answered = await answerList(list, undefined, takesGzip);
  expect(answered.headers.get('content-encoding')).toBeNull();
  expect(await answered.json()).toEqual(list);
});

it('returns 304 for the compressed and the uncompressed form', async () => {
  const tag = (await answerList(long, undefined, true)).headers.get('etag') ?? '';
  for (const takesGzip of [true, false]) {
    const answered = await answerList(long, tag, takesGzip);
    expect([answered.status, answered.headers.get('etag'), await answered.text()]).toEqual([304, tag, '']);
  }
});

it.each(['storage_unavailable', 'storage_full'])('of %s on the way it is not said that nothing was run', (code) => {
  const problem = problemOfThrown(Object.assign(new Error('inside'), { code }));
  expect(problem).toMatchObject({ code, detail: expect.stringContaining('Parts of it may be stored') });
  expect(problem.detail).not.toMatch(/nothing was run|inside/i);
});

it('an internal error reveals no internals', () => {
  expect(problemOfThrown(new Error('inside'))).toMatchObject({ code: 'internal_error', detail: expect.not.stringContaining('inside') });
});
