import { describe, expect, it } from 'vitest';
import { callErrorSchema } from '#lib/contract/call.ts';
import { createKnownSecrets } from '#lib/contract/known-secrets.ts';
import { createRedactor } from './redact.ts';

const {
  arguments: redactArguments,
  error: redactError,
  jsonText: redactJsonText,
  log: redactLog,
  progress: redactProgress,
  text: redactText,
} = createRedactor();

const redact = (args: unknown, ...schemas: Record<string, unknown>[]) => redactArguments(args, JSON.stringify(args), schemas);

describe('redaction', () => {
  it.each([
    'password',
    'Password',
    'db_password',
    'token',
    'accessToken',
    'api_key',
    'apiKey',
    'Authorization',
    'client_secret',
    'x-api-key',
  ])('replaces the value of %s at any position', (name) => {
    const { text, paths, secrets } = redact({ list: [{ [name]: 'hunter2!' }], city: 'Oslo' });
    expect(JSON.parse(text)).toEqual({ list: [{ [name]: '[redacted]' }], city: 'Oslo' });
    expect(paths).toEqual([`/list/0/${name}`]);
    expect(secrets).toContain('hunter2!');
  });

  it.each(['max_tokens', 'tokenizer', 'secretary', 'passwordless', 'author'])('leaves %s alone', (name) => {
    expect(redact({ [name]: 'value' }).paths).toEqual([]);
  });

  it('leaves true, false and null alone: they are settings, not secrets', () => {
    expect(redact({ token: null, password: true }).paths).toEqual([]);
  });

  it('replaces values that the schema marks as writeOnly or password, also in lists', () => {
    const schema = {
      properties: { pin: { type: 'string', writeOnly: true }, rows: { items: { properties: { code: { format: 'password' } } } } },
    };
    const { text, paths } = redact({ pin: '1234567', rows: [{ code: 'abcdef' }] }, schema);
    expect(paths).toEqual(['/pin', '/rows/0/code']);
    expect(text).not.toMatch(/1234567|abcdef/);
  });

  it.each([
    ['percent-encoded', encodeURIComponent],
    ['as a form field', (text: string) => new URLSearchParams({ text }).toString().slice('text='.length)],
    ['in base64', (text: string) => Buffer.from(text).toString('base64')],
    ['in base64url', (text: string) => Buffer.from(text).toString('base64url')],
    ['in base64 after a name', (text: string) => Buffer.from(`user:${text}`).toString('base64')],
  ])('replaces a secret argument that is repeated %s', (_how, encode) => {
    const secret = 'Zk+7/ q?Lm 9~xÿ';
    const { secrets } = redact({ password: secret });
    const said = encode(secret);
    const { message } = redactError({ kind: 'execution_error', message: `appid=${said} failed`, data: null }, secrets);
    expect(message).toContain('[redacted]');
    expect(message).not.toContain(said);
    expect(redactText(`appid=${said}`, secrets)).not.toContain(said);
  });

  it('replaces the password in a URL, and reports its path', () => {
    const { text, paths, secrets } = redact({ to: 'postgres://app:hunter2!@db/main', more: ['https://a:p%40sswd@b'], city: 'Oslo' });
    expect(JSON.parse(text)).toEqual({ to: 'postgres://app:[redacted]@db/main', more: ['https://a:[redacted]@b'], city: 'Oslo' });
    expect(paths).toEqual(['/to', '/more/0']);
    expect(redactText('hunter2! and p@sswd', secrets)).toBe('[redacted] and [redacted]');
  });

  it('replaces passwords in URLs in results, errors, logs and progress, also without an argument', () => {
    const text = 'at postgres://app:hunter2@db';
    const hidden = 'at postgres://app:[redacted]@db';
    expect(JSON.parse(redactJsonText(JSON.stringify({ url: [text] }), []))).toEqual({ url: [hidden] });
    expect(redactError({ kind: 'execution_error', message: text, data: { text } }, [])).toMatchObject({
      message: hidden,
      data: { text: hidden },
    });
    expect(redactLog({ time: '2026-01-31T00:00:00Z', level: 'info', message: text, data: [text] }, [])).toMatchObject({
      message: hidden,
      data: [hidden],
    });
    expect(redactProgress({ done: 1, total: null, message: text }, []).message).toBe(hidden);
  });

  it('replaces secrets within texts, also in results, errors, logs and progress without an argument', () => {
    const { text, paths, secrets } = redact({ note: 'use password=hunter2! or token: a1b2c3d4', city: 'Oslo' });
    const hidden = 'use password=[redacted] or token: [redacted]';
    expect(JSON.parse(text)).toEqual({ note: 'use password=[redacted]! or token: [redacted]', city: 'Oslo' });
    expect(paths).toEqual(['/note']);
    expect(redactText('hunter2 and a1b2c3d4', secrets)).toBe('[redacted] and [redacted]');
    const said = 'use password=hunter2 or token: a1b2c3d4';
    expect(JSON.parse(redactJsonText(JSON.stringify([said]), []))).toEqual([hidden]);
    expect(JSON.parse(redactJsonText(JSON.stringify(said), []))).toBe(hidden);
    expect(redactError({ kind: 'execution_error', message: said, data: { stack: said } }, [])).toMatchObject({
      message: hidden,
      data: { stack: hidden },
    });
    expect(redactLog({ time: 't', level: 'info', message: said, data: [said] }, [])).toMatchObject({ message: hidden, data: [hidden] });
    expect(redactProgress({ done: 1, total: null, message: said }, []).message).toBe(hidden);
  });

  it('replaces secrets known to the host, in texts, as numbers and in other encodings', () => {
    const redactor = createRedactor(createKnownSecrets(['value of a variable', '12345678']));
    const result = {
      a: 'the value of a variable.',
      b: 12345678,
      c: btoa('value of a variable'),
      d: encodeURIComponent('value of a variable'),
      e: 123456789,
    };
    const kept: unknown = JSON.parse(redactor.jsonText(JSON.stringify(result), []));
    expect(kept).toEqual({
      a: 'the [redacted].',
      b: '[redacted]',
      c: expect.stringMatching(/^\[redacted\].{0,4}$/),
      d: '[redacted]',
      e: 123456789,
    });
    expect(redactor.arguments({ q: 'value of a variable' }, '{"q":"value of a variable"}', []).paths).toEqual(['/q']);
  });

  it('escapes pointers', () => {
    expect(redact({ 'a/b~c': { token: 'secret-value' } }).paths).toEqual(['/a~1b~0c/token']);
  });

  it('returns the same text without secrets', () => {
    const text = '{"b":1,"a":"2"}';
    expect(redactArguments(JSON.parse(text), text, [{}]).text).toBe(text);
  });

  it('removes the secrets of a call from results, with quotes and backslashes, and from log lines', () => {
    const secret = 'quo"te\\back';
    const text = JSON.stringify({ echoed: `you sent ${secret}`, nested: { token: 'abc' } });
    const cleaned = redactJsonText(text, [secret]);
    expect(JSON.parse(cleaned)).toEqual({ echoed: 'you sent [redacted]', nested: { token: '[redacted]' } });
    expect(redactText(`got ${secret}.`, [secret])).toBe('got [redacted].');
  });

  it('keeps JSON valid for any secrets', () => {
    const secrets = ['arguments', 'message', 'execution_error', 'required', '123456'];
    const result = '{"message":"a message","n":1234567,"nested":{"arguments":["123456!",123456,true]}}';
    expect(JSON.parse(redactJsonText(result, secrets))).toEqual({
      message: 'a [redacted]',
      n: 1234567,
      nested: { arguments: ['[redacted]!', '[redacted]', true] },
    });
    const error = redactError(
      {
        kind: 'execution_error',
        message: 'no message',
        issues: [{ path: '/message', keyword: 'required', message: 'message is missing' }],
        data: { message: 'message', n: 123456 },
      },
      secrets,
    );
    expect(callErrorSchema.parse(error)).toEqual({
      kind: 'execution_error',
      message: 'no [redacted]',
      issues: [{ path: '/message', keyword: 'required', message: '[redacted] is missing' }],
      data: { message: '[redacted]', n: '[redacted]' },
    });
    const log = redactLog({ time: 't', level: 'info', message: '123456', data: { n: 123456, list: ['x123456'] } }, secrets);
    expect(log).toEqual({ time: 't', level: 'info', message: '[redacted]', data: { n: '[redacted]', list: ['x[redacted]'] } });
    expect(redactProgress({ done: 1, total: null, message: 'at 123456' }, secrets).message).toBe('at [redacted]');
  });

  it('finds secret names in errors and logs of a call without secrets', () => {
    const error = { kind: 'execution_error', message: 'm', data: { request: { api_key: 'k', retries: 3 } } } as const;
    expect(redactError(error, []).data).toEqual({ request: { api_key: '[redacted]', retries: 3 } });
    expect(redactLog({ time: 't', level: 'info', message: 'm', data: { token: 'k' } }, []).data).toEqual({ token: '[redacted]' });
  });

  it('removes secret numbers, the longest first, and secrets in JSON within a text', () => {
    const { secrets } = redact({ token: 'abcdef', password: 'abcdef-ghi', secret: 12345678, api_key: 'quo"te-it' });
    expect(redactText('abcdef-ghi 12345678 abcdef {"api_key":"quo\\"te-it"}', secrets)).toBe(
      '[redacted] [redacted] [redacted] {"api_key":"[redacted]"}',
    );
  });

  it('hides a secret number, and a short one where it is the entire value', () => {
    const pin = { properties: { pin: { type: 'integer', writeOnly: true }, code: { type: 'string', writeOnly: true } } };
    const { secrets } = redact({ pin: 4711, code: 'a1b2' }, pin);
    const result = { pin_used: 4711, as_text: '4711', code_used: 'a1b2', count: 47110, words: 'at 4711 of a1b2c', year: 2026 };
    expect(JSON.parse(redactJsonText(JSON.stringify(result), secrets))).toEqual({
      ...result,
      pin_used: '[redacted]',
      as_text: '[redacted]',
      code_used: '[redacted]',
    });
    expect(redact({ pin: 7 }, pin).secrets).toEqual([]);
  });

  it('finds a secret in a result with any escaping', () => {
    expect(JSON.parse(redactJsonText('["sch\\u00f6n-geheim"]', ['schön-geheim']))).toEqual(['[redacted]']);
  });

  it('stores no text of the end of a call with too many secrets to search for', () => {
    const { secrets } = redact({ tokens: Array.from({ length: 1_000 }, (_, at) => `secret-${at}`) });
    expect(JSON.parse(redactJsonText('{"a":"it was secret-777","b":5,"c":"abc","d":4711}', secrets))).toEqual({
      a: '[redacted]',
      b: 5,
      c: 'abc',
      d: '[redacted]',
    });
  });

  it('uses the schema of every revision that may run', () => {
    const [old, next] = ['pin', 'code'].map((name) => ({ properties: { [name]: { type: 'string', writeOnly: true } } }));
    expect(redact({ pin: '1', code: '2' }, old ?? {}, next ?? {}).paths).toEqual(['/pin', '/code']);
  });

  it('does not change a prototype for a key named __proto__', () => {
    const args: unknown = JSON.parse('{"__proto__":{"token":"abcdefgh"},"token":"abcdefgh"}');
    redact(args);
    expect(Reflect.get({}, 'token')).toBeUndefined();
  });
});
