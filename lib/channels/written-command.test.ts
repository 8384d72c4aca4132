import { describe, expect, it } from 'vitest';
import { createRedactor } from '#lib/calls/redact.ts';
import { isSecretName } from '#lib/contract/secret-names.ts';
import type { JsonSchema, Tool } from '#lib/contract/tool.ts';
import { toolRecord } from '#lib/testing/api-records.ts';
import { readCommand, type WrittenCommand } from './written-command.ts';

const tool = (name: string, properties: JsonSchema): Tool =>
  toolRecord(name, { extension: 'test', parameters: { type: 'object', properties } });

const TOOLS = [
  tool('login', { user: { type: 'string' }, password: { type: 'string' }, pin: { type: 'integer', writeOnly: true } }),
  tool('codes', { codes: { type: 'array', items: { type: 'string', format: 'password' } }, note: { type: 'string' } }),
  tool('echo', { text: { type: 'string' }, max_tokens: { type: 'integer' }, options: { type: 'object' } }),
];

const redactor = createRedactor();

function read(text: string, isOn = true): WrittenCommand | null {
  return readCommand(text, {
    tools: new Map(TOOLS.map((each) => [each.name, each])),
    isOn,
    redactArguments(args, parameters) {
      const { text: cleaned, paths, secrets } = redactor.arguments(args, JSON.stringify(args), [parameters]);
      return { text: cleaned, paths, clean: (said) => redactor.text(said, secrets) };
    },
  });
}

describe('a command is stored', () => {
  it.each([
    '/echo text=hello max_tokens=5',
    `  /echo text='it is'`,
    '/echo {"text": "the password is in the drawer"}',
    '/echo how are you',
    '/help login',
    '/help reset_password',
    '/start token-of-an-invitation',
  ])('unchanged without a secret: %s', (text) => {
    expect(read(text)).toMatchObject({ kept: text });
  });

  it.each([
    ['/login user=ada password=hunter22', '/login user=ada password=[redacted]'],
    [`/login user='a "b"' password="hunter 22"`, '/login user="a \\"b\\"" password=[redacted]'],
    ['/login {"user": "ada", "password": "hunter22"}', '/login {"user":"ada","password":"[redacted]"}'],
    ['/login{"password":"one","password":"hunter22"}', '/login {"password":"[redacted]"}'],
    ['/login pin=123456', '/login pin=[redacted]'],
    ['/login pin=hunter22', '/login pin=[redacted]'],
    ['/login pin=123456 pin=hunter22', '/login pin=[redacted] pin=[redacted]'],
    ['/codes codes=hunter22,hunter33 note=mine', '/codes codes=[redacted] note=mine'],
    ['/echo options={"api_key": "hunter22", "a": 1}', '/echo options=[redacted]'],
    ['/echo {"options": {"authorization": "hunter22"}}', '/echo {"options":{"authorization":"[redacted]"}}'],
    ['/nobody_knows_it token=hunter22 text=a', '/nobody_knows_it token=[redacted] text=a'],
  ])('without the values of secrets: %s', (text, kept) => {
    expect(read(text)?.kept).toBe(kept);
    expect(read(text, false)?.kept).toBe(kept);
  });

  it.each([
    '/login user=ada password=hunter22 and more',
    '/login password="hunter22',
    '/login {"password": hunter22}',
    '/login hunter22',
    '/login password: hunter22',
    '/nobody_knows_it my password hunter22',
  ])('without unparseable parts that may be secrets: %s', (text) => {
    const written = read(text);
    expect(written?.kept).toMatch(/^\/\w+ \[redacted\]$/);
    expect(written?.parsed).toMatchObject({ kind: 'wrong', message: expect.not.stringContaining('hunter22') });
    // A plain text when commands are disabled.
    expect(read(text, false)?.kept).toBe(text);
  });
});

it('a command has its real values, and the secrets that replies must not repeat', () => {
  const written = read('/login user=ada password=hunter22');
  expect(written?.parsed).toMatchObject({ kind: 'pairs', pairs: [{ value: 'ada' }, { value: 'hunter22' }] });
  expect([...(written?.hidden ?? [])].every((key) => isSecretName(key))).toBe(true);
  expect(written?.clean('hunter22 is invalid')).toBe('[redacted] is invalid');
});

it('a plain text is not a command', () => {
  expect(read('my password is hunter22')).toBeNull();
});
