import { describe, expect, it } from 'vitest';
import { isValidName } from '#lib/contract/extension-names.ts';
import { nameServerTools } from './name-server-tools.ts';

const names = (tools: readonly string[], prefix: string) =>
  nameServerTools(
    tools.map((name) => ({ name })),
    prefix,
  );

describe('the names of an MCP server’s tools', () => {
  it('are the prefix and the server’s own, without advice', () => {
    expect(names(['read_file', 'get-sum'], 'fs__').named).toMatchObject([
      { name: 'fs__read_file', warnings: [] },
      { name: 'fs__get-sum', warnings: [] },
    ]);
  });

  it('are made to fit the rule, and the tool says so', () => {
    const { named } = names(['db.query/all', '7zip', 'x'.repeat(100)], '');
    expect(named.map(({ name }) => name)).toEqual(['db_query_all', 'tool_7zip', expect.stringMatching(/^x{57}_[0-9a-f]{6}$/)]);
    for (const { name, tool, warnings } of named) {
      expect(isValidName(name)).toBe(true);
      expect(warnings.join()).toContain(tool.name.slice(0, 100));
    }
  });

  it('stay apart when they are only different beyond what is kept', () => {
    const long = 'y'.repeat(80);
    expect(new Set(names([`${long}a`, `${long}b`], '').named.map(({ name }) => name)).size).toBe(2);
  });

  it('are given once; the second of two is left out and named', () => {
    const { named, warnings } = names(['a.b', 'a/b'], 's__');
    expect(named.map(({ tool }) => tool.name)).toEqual(['a.b']);
    expect(warnings).toEqual([expect.stringContaining('a/b')]);
  });
});
