import { describe, expect, it } from 'vitest';
import { redactArguments, redactJsonText, redactText } from './redact.ts';

const redact = (args: unknown, schema: unknown = {}) => redactArguments(args, JSON.stringify(args), schema);

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
  ])('replaces the value of %s wherever it stands', (name) => {
    const { text, paths, secrets } = redact({ list: [{ [name]: 'hunter2!' }], city: 'Oslo' });
    expect(JSON.parse(text)).toEqual({ list: [{ [name]: '[redacted]' }], city: 'Oslo' });
    expect(paths).toEqual([`/list/0/${name}`]);
    expect(secrets).toEqual(['hunter2!']);
  });

  it.each(['max_tokens', 'tokenizer', 'secretary', 'passwordless', 'author'])('leaves %s alone', (name) => {
    expect(redact({ [name]: 'value' }).paths).toEqual([]);
  });

  it('leaves true, false and null alone: they are settings, not secrets', () => {
    expect(redact({ token: null, password: true }).paths).toEqual([]);
  });

  it('replaces what the schema marks as writeOnly or as a password, also in lists', () => {
    const schema = {
      properties: { pin: { type: 'string', writeOnly: true }, rows: { items: { properties: { code: { format: 'password' } } } } },
    };
    const { text, paths } = redact({ pin: '1234567', rows: [{ code: 'abcdef' }] }, schema);
    expect(paths).toEqual(['/pin', '/rows/0/code']);
    expect(text).not.toMatch(/1234567|abcdef/);
  });

  it('escapes pointers', () => {
    expect(redact({ 'a/b~c': { token: 'secret-value' } }).paths).toEqual(['/a~1b~0c/token']);
  });

  it('returns the very same text when there is nothing to hide', () => {
    const text = '{"b":1,"a":"2"}';
    expect(redactArguments(JSON.parse(text), text, {}).text).toBe(text);
  });

  it('cuts the secrets of a call out of results, with quotes and backslashes, and out of log lines', () => {
    const secret = 'quo"te\\back';
    const text = JSON.stringify({ echoed: `you sent ${secret}`, nested: { token: 'abc' } });
    const cleaned = redactJsonText(text, [secret]);
    expect(JSON.parse(cleaned)).toEqual({ echoed: 'you sent [redacted]', nested: { token: '[redacted]' } });
    expect(redactText(`got ${secret}.`, [secret])).toBe('got [redacted].');
  });

  it('does not change the prototype of anything when a key is called __proto__', () => {
    const args: unknown = JSON.parse('{"__proto__":{"token":"abcdefgh"},"token":"abcdefgh"}');
    redact(args);
    expect(Reflect.get({}, 'token')).toBeUndefined();
  });
});
