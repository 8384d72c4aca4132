import { describe, expect, it } from 'vitest';
import { hideSecretTexts } from '#lib/contract/secret-texts.ts';
import { expandVariables } from './expand-variables.ts';

const stdio = { type: 'stdio' as const, command: 'node', args: ['--at=${WHERE}', '${LEVEL:-info}'], env: { KEY: 'x${KEY}y' }, cwd: null };
const remote = (url: string) => ({ type: 'http' as const, url, headers: {}, isSse: false });

/** The expanded text with the warnings, or the failure. */
function expanded(text: string, variables: Readonly<Record<string, string>> = {}) {
  const outcome = expandVariables(remote(text), { variables, secrets: {} }, []);
  if (!outcome.ok) return outcome.failure;
  return { text: outcome.connection.type === 'http' ? outcome.connection.url : '', warnings: outcome.warnings };
}

describe('variables in mcp.json', () => {
  it('are expanded everywhere, with a default if they are not set', () => {
    expect(expandVariables(stdio, { variables: { WHERE: 'here', KEY: '$1' }, secrets: {} }, [])).toEqual({
      ok: true,
      connection: { ...stdio, args: ['--at=here', 'info'], env: { KEY: 'x$1y' } },
      warnings: [],
    });
  });

  it('use the default also when they are empty', () => {
    expect(expanded('http://h/${PART:-mcp}', { PART: '' })).toMatchObject({ text: 'http://h/mcp' });
  });

  it.each([
    ['${A:-${B:-c}}', {}, 'c'],
    ['${A:-${B:-c}}', { B: 'b' }, 'b'],
    ['${A:-${B:-c}}', { A: 'a' }, 'a'],
    ['<${A:-x${B}y${C:-}z}>', { B: 'b' }, '<xbyz>'],
    ['${A:-${B}}', { A: 'a' }, 'a'],
    ['${A}', { A: '${B}', B: 'b' }, '${B}'],
    ['${env:A}/${env:B:-b}/${env:C:-${A}}', { A: 'a' }, 'a/b/a'],
    ['$A $ {A} $${A}', { A: 'a' }, '$A $ {A} $a'],
  ])('%s with %o is %s', (text, variables, result) => {
    expect(expanded(text, variables)).toEqual({ text: result, warnings: [] });
  });

  it('are reported with their location when they are missing', () => {
    expect(expandVariables(stdio, { variables: { WHERE: 'here' }, secrets: {} }, ['mcpServers', 'x'])).toMatchObject({
      ok: false,
      failure: { code: 'config_missing', message: expect.stringContaining('KEY'), subject: ['mcpServers', 'x', 'env', 'KEY'] },
    });
    expect(expanded('${env:TOKEN}')).toMatchObject({ code: 'config_missing', message: expect.stringContaining('TOKEN') });
    expect(expanded('${A:-${B}}')).toMatchObject({ code: 'config_missing', message: expect.stringContaining('B') });
  });

  it('of their own entry are found in a command and its arguments, and not in other variables of the entry', () => {
    const entry = { ...stdio, args: ['Authorization: Bearer ${AUTH}'], env: { AUTH: 'x${AUTH:-none}', OTHER: '${AUTH:-none}' } };
    expect(expandVariables(entry, { variables: { AUTH: 'outer' }, secrets: {} }, [])).toMatchObject({
      ok: true,
      connection: { args: ['Authorization: Bearer xouter'], env: { AUTH: 'xouter', OTHER: 'outer' } },
    });
    expect(expandVariables(entry, { variables: {}, secrets: {} }, [])).toMatchObject({
      ok: true,
      connection: { args: ['Authorization: Bearer xnone'], env: { OTHER: 'none' } },
    });
  });

  it('that are missing have a hint that stays readable beside secrets', () => {
    const hint = expanded('${GITHUB_TOKEN}');
    expect(hint).toMatchObject({ hint: expect.stringContaining('To set a default, write ${GITHUB_TOKEN:-…}.') });
    expect(hideSecretTexts(JSON.stringify(hint))).toBe(JSON.stringify(hint));
  });

  it('are not looked up on the object prototype', () => {
    expect(expandVariables({ ...stdio, command: '${constructor}' }, { variables: { WHERE: '', KEY: '' }, secrets: {} }, []).ok).toBe(false);
  });
});

describe('secrets in mcp.json', () => {
  const secretIn = (text: string, secrets: Readonly<Record<string, string>>, variables: Readonly<Record<string, string>> = {}) =>
    expandVariables({ ...remote('http://h'), headers: { Authorization: text } }, { variables, secrets }, ['mcpServers', 'x']);

  it('are inserted as they are, and come before a variable of the same name', () => {
    expect(secretIn('Bearer ${secret:KEY}', { KEY: '${A}$1' }, { KEY: 'variable' })).toMatchObject({
      ok: true,
      connection: { headers: { Authorization: 'Bearer ${A}$1' } },
      warnings: [],
    });
    expect(secretIn('${secret:KEY}', {}, { KEY: 'variable' })).toMatchObject({ connection: { headers: { Authorization: 'variable' } } });
  });

  it('are not variables', () => {
    expect(secretIn('${KEY}', { KEY: 'hidden' })).toMatchObject({ ok: false, failure: { message: 'The variable KEY is not set.' } });
  });

  it('are reported with their location when they are missing', () => {
    expect(secretIn('${secret:KEY}', {})).toMatchObject({
      ok: false,
      failure: {
        code: 'config_missing',
        message: 'The secret KEY is not set.',
        hint: expect.stringContaining('/api/v1/secrets/KEY'),
        subject: ['mcpServers', 'x', 'headers', 'Authorization'],
      },
    });
  });
});

describe('placeholders of other clients', () => {
  it('that prompt the user are a failure with the replacement in its hint', () => {
    expect(expanded('Bearer ${input:github-token}', { GITHUB_TOKEN: 'x' })).toMatchObject({
      code: 'config_missing',
      message: expect.stringContaining('${input:github-token}'),
      hint: expect.stringMatching(/\$\{GITHUB_TOKEN\}.*GITHUB_TOKEN=…/),
      subject: ['url'],
    });
  });

  it.each([
    ['${workspaceFolder}/data', '${WORKSPACE_ROOT}'],
    ['${env:PART:-${userHome}}', '${HOME}'],
  ])('with another name in Switchboard are a failure with that name: %s', (text, name) => {
    expect(expanded(text)).toMatchObject({ code: 'config_missing', hint: expect.stringContaining(name) });
  });

  it.each(['${other:KEY}', '${command:pick}', '${config:a.b}', '${A-b}', '${}', '${/}', '${1A}'])(
    'that Switchboard does not know stay unchanged, with a warning: %s',
    (placeholder) => {
      const text = `a ${placeholder} b`;
      expect(expanded(text)).toEqual({ text, warnings: [expect.stringMatching(/`url` of mcp\.json .*passed on unchanged/)] });
      expect(JSON.stringify(expanded(text))).toContain(`\`${placeholder}\``);
      expect(expanded(`\${OPEN:-${text}}`)).toMatchObject({ text, warnings: [expect.stringContaining(placeholder)] });
    },
  );

  it('that are not closed stay unchanged, with a warning', () => {
    expect(expanded('x${A')).toEqual({ text: 'x${A', warnings: [expect.stringContaining('`${A`')] });
    expect(expanded('${A:-${B}', { B: 'b' })).toMatchObject({ text: '${A:-b', warnings: [expect.stringContaining('`${A:-')] });
  });

  it('in an unused default cause no warning', () => {
    expect(expanded('${A:-${other:KEY}}', { A: 'a' })).toEqual({ text: 'a', warnings: [] });
  });

  it('are reported once per location, without the surrounding text', () => {
    const outcome = expandVariables(
      { ...remote('u'), headers: { Authorization: 'Bearer s3cret ${other:A} ${other:A} ${x y}' } },
      { variables: {}, secrets: {} },
      [],
    );
    expect(outcome.ok && outcome.warnings).toEqual([
      expect.stringContaining('`${other:A}` in `headers.Authorization`'),
      expect.stringContaining('`${x y}` in `headers.Authorization`'),
    ]);
    expect(JSON.stringify(outcome.ok && outcome.warnings)).not.toContain('s3cret');
  });
});
