import { describe, expect, it } from 'vitest';
import { parseCallError, parseChildMessage, parseFailureReport, parseLogPayload, parseRawDescription } from './parse-child-message.ts';

describe('a message of a child', () => {
  it.each([
    { type: 'hello', protocolVersion: 2 },
    { type: 'result' },
    { type: 'result', id: -1 },
    { type: 'result', id: '1' },
    { type: 'result', id: 1.5 },
    { type: 'log', id: 1, level: 'fatal' },
    { type: 'progress', id: 1, done: '1', total: null, message: null },
    { type: 'progress', id: 1, done: 1, total: undefined, message: null },
    { type: 'channel', id: 1, how: 'done later' },
    { type: 'channel', how: 'done' },
    { type: 'load' },
    { type: 'constructor' },
    {},
  ])('with an invalid shape is refused: %j', (header) => {
    expect(parseChildMessage(header)).toBeNull();
  });

  it('with a valid shape keeps only its known fields', () => {
    expect(parseChildMessage({ type: 'result', id: 3, more: true })).toEqual({ type: 'result', id: 3 });
    expect(parseChildMessage({ type: 'channel', id: 3, how: 'threw', more: true })).toEqual({ type: 'channel', id: 3, how: 'threw' });
    expect(parseChildMessage({ type: 'progress', id: 1, done: 1, total: null, message: 'm' })).toEqual({
      type: 'progress',
      id: 1,
      done: 1,
      total: null,
      message: 'm',
    });
  });
});

describe('a payload that the host parses', () => {
  it('is refused when it is deep but short', () => {
    const deep = `{"message":"m","data":${'['.repeat(5_000)}${']'.repeat(5_000)}}`;
    expect(parseLogPayload(Buffer.from(deep))).toBeNull();
  });

  it('may contain brackets in its strings', () => {
    expect(parseLogPayload(Buffer.from(JSON.stringify({ message: `${'['.repeat(1_000)}\\"{` })))).toEqual({
      message: `${'['.repeat(1_000)}\\"{`,
    });
  });

  it('is refused when it is large', () => {
    expect(parseLogPayload(Buffer.from(JSON.stringify({ message: 'x'.repeat(2_000_000) })))).toBeNull();
  });

  it.each(['', 'null', '[]', '{"message":1}', '{'])('is refused when it is not a log line: %s', (text) => {
    expect(parseLogPayload(Buffer.from(text))).toBeNull();
  });

  it('is refused when a kind or a code is unknown', () => {
    expect(parseCallError(Buffer.from('{"kind":"mine","message":"m"}'))).toBeNull();
    expect(parseFailureReport(Buffer.from('{"code":"crash_loop","message":"m"}'))).toBeNull();
    expect(parseRawDescription(Buffer.from('{"exports":["a"],"values":[],"hasStatus":true}'))).toBeNull();
  });
});
