import { describe, expect, it } from 'vitest';
import { configOf, EMPTY_FORM, faultIn, formOf } from './ServerForm.tsx';

describe('the MCP server form', () => {
  it.each([
    { command: 'npx', args: ['-y', 'a b', '--x=1'], env: { KEY: '${secret:KEY}', EMPTY: '', EQUALS: 'a=b' } },
    { command: 'node' },
    { url: 'https://h/mcp', headers: { Authorization: 'Bearer ${secret:T}', 'X-Time': '10:30' }, type: 'sse' },
    { command: 'node', cwd: '..', prefix: '', timeout: 30, disabled: true },
  ])('writes back what it was filled with: %j', (config) => {
    expect(configOf(formOf(config), config)).toEqual(config);
  });

  it('changes a command to an address, without members of the command', () => {
    const before = { command: 'npx', args: ['x'], env: { A: 'b' }, type: 'stdio', prefix: 'p_' };
    expect(configOf({ ...formOf(before), kind: 'url', url: ' https://h ' }, before)).toEqual({ url: 'https://h', prefix: 'p_' });
  });

  it('omits empty fields', () => {
    expect(configOf({ ...EMPTY_FORM, command: 'node', args: 'a\n\n', env: '\n' })).toEqual({ command: 'node', args: ['a'] });
  });

  it('names a line that is not a pair', () => {
    expect(faultIn('A=b\nwrong', '=')).toBe('“wrong” is not NAME=value.');
    expect(faultIn('A: b\n\n: x', ':')).toBe('“: x” is not Name: value.');
    expect(faultIn('A=b\n', '=')).toBeNull();
  });
});
