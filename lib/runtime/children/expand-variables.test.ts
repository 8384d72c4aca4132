import { describe, expect, it } from 'vitest';
import { expandVariables } from './expand-variables.ts';

const stdio = { type: 'stdio' as const, command: 'node', args: ['--at=${WHERE}', '${LEVEL:-info}'], env: { KEY: 'x${KEY}y' }, cwd: null };

describe('variables in mcp.json', () => {
  it('are put in wherever they stand, with a default where there is none', () => {
    expect(expandVariables(stdio, { WHERE: 'here', KEY: '$1' }, [])).toEqual({
      ok: true,
      connection: { ...stdio, args: ['--at=here', 'info'], env: { KEY: 'x$1y' } },
    });
  });

  it('take the default also when they are empty', () => {
    const outcome = expandVariables({ type: 'http', url: 'http://h/${PART:-mcp}', headers: {}, isSse: false }, { PART: '' }, []);
    expect(outcome).toMatchObject({ ok: true, connection: { url: 'http://h/mcp' } });
  });

  it('are named, with their place, when they are missing', () => {
    const outcome = expandVariables(stdio, { WHERE: 'here' }, ['mcpServers', 'x']);
    expect(outcome).toMatchObject({
      ok: false,
      failure: { code: 'config_missing', message: expect.stringContaining('KEY'), subject: ['mcpServers', 'x', 'env', 'KEY'] },
    });
  });

  it('are not looked for in what is on every object', () => {
    expect(expandVariables({ ...stdio, command: '${constructor}' }, { WHERE: '', KEY: '' }, []).ok).toBe(false);
  });
});
