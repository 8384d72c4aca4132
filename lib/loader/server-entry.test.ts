import { describe, expect, it } from 'vitest';
import { isDisabledEntry, readServerEntry } from './server-entry.ts';

const read = (value: unknown) => readServerEntry('x', value, ['mcpServers', 'x']);

describe('an entry of mcp.json', () => {
  it('is read as a command with arguments and environment, with a prefix from its name', () => {
    expect(read({ command: 'node', args: ['a'], env: { B: 'c' }, cwd: '..', type: 'stdio' })).toEqual({
      ok: true,
      program: {
        extension: 'x',
        prefix: 'x__',
        timeoutMs: null,
        auth: 'server',
        keepAlive: null,
        connection: { type: 'stdio', command: 'node', args: ['a'], env: { B: 'c' }, cwd: '..' },
        warnings: [],
      },
    });
  });

  it('sets whether its process keeps running without calls', () => {
    expect(read({ command: 'node', keepAlive: false })).toMatchObject({ ok: true, program: { keepAlive: false, warnings: [] } });
    expect(read({ command: 'node', keepAlive: 'no' })).toMatchObject({
      ok: false,
      failure: { code: 'field_invalid', subject: expect.arrayContaining(['keepAlive']) },
    });
  });

  it('sets who signs in', () => {
    expect(read({ url: 'https://h/mcp', auth: 'member' })).toMatchObject({ ok: true, program: { auth: 'member' } });
    expect(read({ url: 'https://h/mcp', auth: 'all' })).toMatchObject({
      ok: false,
      failure: { code: 'field_invalid', subject: expect.arrayContaining(['auth']) },
    });
  });

  it('is read as a URL with headers, with its own prefix', () => {
    expect(read({ url: 'https://h/mcp', headers: { A: 'b' }, type: 'streamable-http', prefix: '' })).toMatchObject({
      ok: true,
      program: { prefix: '', connection: { type: 'http', url: 'https://h/mcp', headers: { A: 'b' }, isSse: false } },
    });
  });

  it('may contain fields of other clients, with a helpful warning', () => {
    expect(read({ command: 'node', autoApprove: [], arg: ['a'] })).toMatchObject({
      ok: true,
      program: { warnings: [expect.stringContaining('`autoApprove`'), expect.stringContaining('did you mean `args`')] },
    });
  });

  it('may have null for absent fields', () => {
    const connection = { type: 'stdio', command: 'node', args: [], env: {}, cwd: null };
    expect(read({ command: 'node', url: null, args: null, env: null, cwd: null, prefix: null, disabled: null })).toMatchObject({
      ok: true,
      program: { prefix: 'x__', connection, warnings: [] },
    });
  });

  it.each([
    [{ disabled: true }, true],
    [{ enabled: false }, true],
    [{ enabled: true }, false],
    [{ enabled: true, disabled: true }, true],
    [{}, false],
  ])('is disabled in either form: %j', (more, isDisabled) => {
    expect(isDisabledEntry({ command: 'node', ...more })).toBe(isDisabled);
    expect(read({ command: 'node', ...more })).toMatchObject({ ok: true, program: { warnings: [] } });
  });

  it.each([
    [300, 300_000],
    [0.5, 500],
    [3600, 3_600_000],
    [null, null],
  ])('sets the time limit of calls in seconds: %j', (timeout, timeoutMs) => {
    expect(read({ command: 'node', timeout })).toMatchObject({ ok: true, program: { timeoutMs, warnings: [] } });
  });

  it.each([
    [600_000, /600000 and was ignored: it is a number of seconds, 3600 at most\. For 600000 milliseconds write 600\./],
    [3_600_001, /3600 at most\.$/],
    [0, /0 and was ignored/],
    ['60', /"60" and was ignored/],
    [{}, /\{\} and was ignored/],
  ])('ignores an invalid time limit, with a warning: %j', (timeout, says) => {
    expect(read({ command: 'node', timeout })).toMatchObject({
      ok: true,
      program: { timeoutMs: null, warnings: [expect.stringMatching(says)] },
    });
  });

  it.each([
    [[], 'field_invalid', [], /a list/],
    [{}, 'fields_missing', [], /nothing, but neither/],
    [{ mcpServers: {} }, 'fields_missing', [], /extensions\/mcp\.json/],
    [{ serverUrl: 'http://h' }, 'fields_missing', [], /Did you mean `url` where it says `serverUrl`/],
    [{ type: 'stdio', cmd: 'node' }, 'fields_missing', [], /Did you mean `command` where it says `cmd`/],
    [{ comand: 'node' }, 'fields_missing', [], /Did you mean `command`/],
    [{ command: '' }, 'field_invalid', ['command'], /empty/],
    [{ command: ['node'] }, 'field_invalid', ['command'], /a list; it must be text.*the others as the list "args"/],
    [{ command: 'node', url: 'http://h' }, 'field_invalid', ['url'], /both/],
    [{ command: 'node', args: 'a b' }, 'field_invalid', ['args'], /list of texts/],
    [{ command: 'node', args: [1] }, 'field_invalid', ['args'], /list of texts/],
    [{ command: 'node', env: { PORT: 8080 } }, 'field_invalid', ['env'], /`env.PORT` is a number.*double quotes/s],
    [{ url: 'http://h', headers: [] }, 'field_invalid', ['headers'], /a list/],
    [{ command: 'node', prefix: '1_' }, 'field_invalid', ['prefix'], /cannot begin/],
    [{ command: 'node', disabled: 'yes' }, 'field_invalid', ['disabled'], /true or false/],
    [{ command: 'node', type: 'http' }, 'field_invalid', ['type'], /must be "stdio"/],
  ])('%j is refused with the location', (value, code, keys, says) => {
    const outcome = read(value);
    if (outcome.ok) throw new Error('the entry was accepted');
    expect(outcome.failure).toMatchObject({ code, subject: ['mcpServers', 'x', ...keys] });
    expect(`${outcome.failure.message} ${outcome.failure.hint}`).toMatch(says);
  });
});
