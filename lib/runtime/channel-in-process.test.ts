import { expect, test } from 'vitest';
import { readMessage } from './channel-in-process.ts';

const read = (value: unknown) => readMessage(Buffer.from(JSON.stringify(value)), 'line');

test('a message is unchanged; without a channel name it gets the name of the channel that received it', () => {
  expect(read({ text: '', sender: 'ada', channel: 'lobby', metadata: { id: 7 } })).toEqual({
    ok: true,
    message: { text: '', sender: 'ada', channel: 'lobby', metadata: { id: 7 } },
  });
  expect(read({ text: 'hello', sender: 'ada', metadata: null, other: 1 })).toEqual({
    ok: true,
    message: { text: 'hello', sender: 'ada', channel: 'line', metadata: {} },
  });
  expect(read({ text: 'hello', sender: 'ada', idempotency_key: 'update 7' })).toMatchObject({ message: { idempotency_key: 'update 7' } });
});

test('a text that is too long to store is delivered complete', () => {
  const text = 'a'.repeat(100_000);
  expect(read({ text, sender: 'ada' })).toMatchObject({ ok: true, message: { text } });
});

test.each<[unknown, string]>([
  [null, 'nothing; it must wait'],
  ['hello', 'a text; a message is'],
  [[1], 'a list; a message is'],
  [false, '`false`; a message is'],
  [{ sender: 'ada' }, 'without `text`'],
  [{ text: { a: 1 }, sender: 'ada' }, '`text` is an object'],
  [{ text: 'a', sender: '' }, 'without `sender`'],
  [{ text: 'a', sender: 5 }, '`sender` is a number'],
  [{ text: 'a', sender: 'b'.repeat(501) }, '`sender` has 501 characters; it may have 500'],
  [{ text: 'a', sender: 'b', channel: 5 }, '`channel` is a number'],
  [{ text: 'a', sender: 'b', channel: 'c'.repeat(501) }, '`channel` has 501 characters'],
  [{ text: 'a', sender: 'b', metadata: [] }, '`metadata` is a list'],
  [{ text: 'a', sender: 'b', idempotency_key: 7 }, '`idempotency_key` is a number; it must be text of 1 to 256 characters'],
  [{ text: 'a', sender: 'b', idempotency_key: 'k'.repeat(257) }, '`idempotency_key` is a text'],
])('reports the error in %.40j', (value, words) => {
  const outcome = read(value);
  expect(outcome).toEqual({ ok: false, why: expect.stringContaining(words) });
  expect(outcome.ok ? '' : outcome.why).toMatch(/^`recv` returned .*\.$/);
});

test('a payload that is invalid JSON, too large or too deep is not parsed', () => {
  const deep = `{"text":"a","sender":"b","metadata":{"a":${'['.repeat(200)}${']'.repeat(200)}}}`;
  for (const payload of ['{', deep, JSON.stringify({ text: 'a'.repeat(1_100_000), sender: 'b' })])
    expect(readMessage(Buffer.from(payload), 'line')).toMatchObject({ ok: false, why: expect.stringContaining('unreadable') });
});
