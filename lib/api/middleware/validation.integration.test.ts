import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '#lib/testing/fake-host.ts';
import { problemCode, type RawAnswer, rawRequest, requestText, sendRaw } from '#lib/testing/raw-request.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server[Symbol.asyncDispose]());

const CALL = '/api/v1/tools/echo/call';
type Request = Parameters<typeof sendRaw> extends [number, ...infer Rest] ? Rest : never;
const send = (...request: Request): Promise<RawAnswer> => sendRaw(server.port, ...request);

describe('the body of a request', () => {
  const json = { 'content-type': 'application/json' };

  test.each([
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }, 'a=b'],
    ['text', { 'content-type': 'text/plain' }, '{}'],
    ['another charset', { 'content-type': 'application/json; charset=utf-16' }, '{}'],
    ['no type', {}, '{}'],
    ['compressed', { ...json, 'content-encoding': 'gzip' }, '{}'],
  ])('refuses %s with 415', async (_what, headers, body) => {
    expect((await send('POST', CALL, headers, body)).status).toBe(415);
  });

  test('refuses a compressed bomb without decompressing it', async () => {
    const bomb = gzipSync(Buffer.alloc(10_000_000, 32));
    const head = requestText('POST', CALL, [
      'host: localhost',
      'content-type: application/json',
      'content-encoding: gzip',
      `content-length: ${bomb.length}`,
    ]);
    expect((await rawRequest(server.port, Buffer.concat([Buffer.from(head), bomb]))).status).toBe(415);
  });

  test('rejects a too large body, announced or not', async () => {
    expect((await send('POST', CALL, { ...json, 'content-length': '1048577' })).status).toBe(413);
    const chunk = `10000\r\n${' '.repeat(65_536)}\r\n`;
    const chunked =
      requestText('POST', CALL, ['host: localhost', 'content-type: application/json', 'transfer-encoding: chunked']) + chunk.repeat(17);
    expect((await rawRequest(server.port, chunked)).status).toBe(413);
  });

  test.each([
    ['not JSON', '{"arguments": {"a": tru}}', 'body_invalid', 400],
    ['empty text', '   ', 'body_invalid', 400],
    ['a list', '[]', 'body_fields_invalid', 422],
    ['a key __proto__', '{"arguments": {"__proto__": {"x": 1}}}', 'body_key_forbidden', 400],
    ['an escaped key __proto__', '{"arguments": {"\\u005f_proto__": 1}}', 'body_key_forbidden', 400],
    ['65 levels', `{"arguments":{"a":${'['.repeat(63)}${']'.repeat(63)}}}`, 'body_too_deep', 400],
    ['half a million levels', '['.repeat(524_288), 'body_too_deep', 400],
    ['half a million closed levels', `${'['.repeat(500_000)}${']'.repeat(500_000)}`, 'body_too_deep', 400],
    ['unknown and wrong fields', '{"argument": {}, "timeout_ms": "1"}', 'body_fields_invalid', 422],
  ])('refuses %s', async (_what, body, expected, status) => {
    const answer = await send('POST', CALL, json, body);
    expect([problemCode(answer), answer.status]).toEqual([expected, status]);
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
  });

  test.each([
    [
      'a key __proto__',
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"__proto__":1}}}',
      400,
      -32_600,
    ],
    ['65 levels', `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":${'['.repeat(63)}${']'.repeat(63)}}}`, 400, -32_600],
    ['not JSON', '{"jsonrpc":', 400, -32_700],
    ['no body', '', 400, -32_700],
  ])('refuses %s from agents with a JSON-RPC error', async (_what, body, status, expected) => {
    const answer = await send('POST', '/mcp', json, body);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([status, 'application/json']);
    expect(JSON.parse(answer.body)).toMatchObject({ jsonrpc: '2.0', error: { code: expected } });
  });

  test('holds agents to the same limits', async () => {
    expect((await send('POST', '/mcp', { 'content-type': 'text/plain' }, '{}')).status).toBe(415);
    expect((await send('POST', '/mcp', { ...json, 'content-length': '1048577' })).status).toBe(413);
    const chunked = requestText('POST', '/mcp', ['host: localhost', 'content-type: application/json', 'transfer-encoding: chunked']);
    expect((await rawRequest(server.port, chunked + `10000\r\n${' '.repeat(65_536)}\r\n`.repeat(17))).status).toBe(413);
    expect((await send('DELETE', '/mcp', json, '{}')).status).toBe(400);
    expect((await send('GET', '/mcp', { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
  });

  test('refuses bytes that are not UTF-8', async () => {
    const body = Buffer.concat([Buffer.from('{"arguments":{"a":"'), Buffer.from([0xff]), Buffer.from('"}}')]);
    const head = requestText('POST', CALL, ['host: localhost', 'content-type: application/json', `content-length: ${body.length}`]);
    expect(problemCode(await rawRequest(server.port, Buffer.concat([Buffer.from(head), body])))).toBe('body_invalid');
  });

  test('names every unknown and invalid field', async () => {
    const answer = await send('POST', CALL, json, '{"argument": {}, "timeout_ms": "1"}');
    const problem: unknown = JSON.parse(answer.body);
    expect(problem).toMatchObject({
      detail: expect.stringMatching(/"argument" is not a field here \(accepted: arguments, timeout_ms, revision\)/),
      issues: expect.arrayContaining([expect.objectContaining({ path: '/argument' }), expect.objectContaining({ path: '/timeout_ms' })]),
    });
  });

  test('accepts 64 levels, and runs no refused call', async () => {
    const before = server.started.length;
    expect(before).toBe(0);
    const body = `{"arguments":{"a":${'['.repeat(62)}${']'.repeat(62)}}}`;
    expect((await send('POST', CALL, json, body)).status).toBe(200);
    expect(server.started).toHaveLength(1);
  });
});
