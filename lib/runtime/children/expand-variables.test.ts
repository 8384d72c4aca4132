import { describe, expect, it } from 'vitest';
import { expandVariables } from './expand-variables.ts';

const stdio = { type: 'stdio' as const, command: 'node', args: ['--at=${WHERE}', '${LEVEL:-info}'], env: { KEY: 'x${KEY}y' }, cwd: null };
const remote = (url: string) => ({ type: 'http' as const, url, headers: {}, isSse: false });

/** The expanded text with the warnings, or the failure. */
function expanded(text: string, variables: Readonly<Record<string, string>> = {}) {
  const outcome = expandVariables(remote(text), variables, []);
  if (!outcome.ok) return outcome.failure;
  return { text: outcome.connection.type === 'http' ? outcome.connection.url : '', warnings: outcome.warnings };
}

describe('variables in mcp.json', () => {
  it('are expanded everywhere, with a default if they are not set', () => {
    expect(expandVariables(stdio, { WHERE: 'here', KEY: '$1' }, [])).toEqual({
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
    expect(expandVariables(stdio, { WHERE: 'here' }, ['mcpServers', 'x'])).toMatchObject({
      ok: false,
      failure: { code: 'config_missing', message: expect.stringContaining('KEY'), subject: ['mcpServers', 'x', 'env', 'KEY'] },
    });
    expect(expanded('${env:TOKEN}')).toMatchObject({ code: 'config_missing', message: expect.stringContaining('TOKEN') });
    expect(expanded('${A:-${B}}')).toMatchObject({ code: 'config_missing', message: expect.stringContaining('B') });
  });

  it('are not looked up on the object prototype', () => {
    expect(expandVariables({ ...stdio, command: '${constructor}' }, { WHERE: '', KEY: '' }, []).ok).toBe(false);
  });
});

describe('placeholders of other clients', () => {
  it('that prompt are a failure with the replacement in its hint', () => {
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
  ])('with another name here are a failure with that name: %s', (text, name) => {
    expect(expanded(text)).toMatchObject({ code: 'config_missing', hint: expect.stringContaining(name) });
  });

  it.each(['${secret:KEY}', '${command:pick}', '${config:a.b}', '${A-b}', '${}', '${/}', '${1A}'])(
    'that mean nothing here stay as they are, with a warning: %s',
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
    expect(expanded('${A:-${secret:KEY}}', { A: 'a' })).toEqual({ text: 'a', warnings: [] });
  });

  it('are reported once per location, without the surrounding text', () => {
    const outcome = expandVariables({ ...remote('u'), headers: { Authorization: 'Bearer s3cret ${secret:A} ${secret:A} ${x y}' } }, {}, []);
    expect(outcome.ok && outcome.warnings).toEqual([
      expect.stringContaining('`${secret:A}` in `headers.Authorization`'),
      expect.stringContaining('`${x y}` in `headers.Authorization`'),
    ]);
    expect(JSON.stringify(outcome.ok && outcome.warnings)).not.toContain('s3cret');
  });
});
