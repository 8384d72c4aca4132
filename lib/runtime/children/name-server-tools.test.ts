import { describe, expect, it } from 'vitest';
import { isValidName } from '#lib/contract/names.ts';
import { nameServerTools } from './name-server-tools.ts';

const named = (tools: readonly string[], prefix: string) =>
  nameServerTools(
    tools.map((name) => ({ name })),
    prefix,
  );
/** Local name → name of the server. */
const mapped = (tools: readonly string[], prefix = 's__'): Record<string, string> =>
  Object.fromEntries(named(tools, prefix).named.map(({ name, tool }) => [name, tool.name]));
const nameOf = (tool: string, among: readonly string[], prefix = 's__') =>
  named(among, prefix).named.find((one) => one.tool.name === tool)?.name;

const LONG = 'a'.repeat(70);
const ODD = [
  '获取天气',
  '查询新闻',
  '删除文件',
  'moneyflow_hsgt',
  'moneyflow_hsgt_备份',
  'café',
  'cafè',
  'Größe',
  'Погода',
  'admin.users.list',
  'admin_users_list',
  'admin/users/list',
  `${LONG}1`,
  `${LONG}2`,
  '1st',
  '_private',
  'two words',
  'x__y',
  '+',
  '*',
];

describe('names of the tools of an MCP server', () => {
  it('are the prefix and the name of the server, without a warning', () => {
    expect(named(['read_file', 'get-sum'], 'fs__').named).toMatchObject([
      { name: 'fs__read_file', warnings: [] },
      { name: 'fs__get-sum', warnings: [] },
    ]);
  });

  it('replace invalid characters, and the tool has a warning with its original name', () => {
    const { named: tools } = named(['db.query/all', '7zip', 'x'.repeat(100)], '');
    expect(tools.map(({ name }) => name)).toEqual(['db_query_all', 'tool_7zip', expect.stringMatching(/^x{57}_[0-9a-f]{6}$/)]);
    for (const { name, tool, warnings } of tools) {
      expect(isValidName(name)).toBe(true);
      expect(warnings.join()).toContain(tool.name.slice(0, 100));
    }
  });

  it.each(['', 's__', `${'p'.repeat(46)}__`])('are valid and unique for any names (prefix "%s")', (prefix) => {
    const { named: tools, warnings } = named(ODD, prefix);
    expect(tools.map(({ tool }) => tool.name).sort()).toEqual([...ODD].sort());
    expect(new Set(tools.map(({ name }) => name)).size).toBe(ODD.length);
    expect(tools.filter(({ name }) => !isValidName(name))).toEqual([]);
    expect(warnings).toEqual([]);
  });

  it('do not depend on the order of the list', () => {
    const reordered = [...ODD].reverse();
    expect(mapped(reordered)).toEqual(mapped(ODD));
    expect(nameOf('获取天气', ['删除文件', '查询新闻', '获取天气'])).toBe(nameOf('获取天气', ['获取天气', '查询新闻', '删除文件']));
  });

  it('in another script do not depend on other tools, and keep valid letters', () => {
    const odd = ['获取天气', 'moneyflow_hsgt_备份', 'café', 'cafè', 'Größe', 'Погода'];
    for (const name of odd) expect(nameOf(name, ODD)).toBe(nameOf(name, [name]));
    expect(odd.map((name) => nameOf(name, [name]))).toEqual([
      expect.stringMatching(/^s__tool_[0-9a-f]{6}$/),
      expect.stringMatching(/^s__moneyflow_hsgt_[0-9a-f]{6}$/),
      expect.stringMatching(/^s__cafe_[0-9a-f]{6}$/),
      expect.stringMatching(/^s__cafe_[0-9a-f]{6}$/),
      expect.stringMatching(/^s__Gro_e_[0-9a-f]{6}$/),
      expect.stringMatching(/^s__tool_[0-9a-f]{6}$/),
    ]);
  });

  it('stay unchanged for a tool whose exact name is valid', () => {
    for (const list of [
      ['a.b', 'a_b'],
      ['a_b', 'a.b'],
    ])
      expect(mapped(list)).toEqual({ s__a_b: 'a_b', [nameOf('a.b', list) ?? '']: 'a.b' });
    expect(nameOf('a.b', ['a.b', 'a_b'])).toMatch(/^s__a_b_[0-9a-f]{6}$/);
  });

  it('are assigned to neither of two colliding tools', () => {
    expect(mapped(['a.b', 'a/b'])).toEqual(mapped(['a/b', 'a.b']));
    expect(Object.keys(mapped(['a.b', 'a/b']))).toEqual([expect.stringMatching(/^s__a_b_\w{6}$/), expect.stringMatching(/^s__a_b_\w{6}$/)]);
  });

  it('stay unique when the server has a tool with the hashed name', () => {
    const taken = (nameOf('获取天气', ['获取天气']) ?? '').replace('s__', '');
    const list = ['获取天气', taken];
    expect(nameOf(taken, list)).toBe(`s__${taken}`);
    expect(nameOf('获取天气', list)).toMatch(/^s__tool_[0-9a-f]{16}$/);
    expect(mapped([...list].reverse())).toEqual(mapped(list));
  });

  it('are assigned once when the server lists a tool twice, with a warning', () => {
    const { named: tools, warnings } = named(['twice', 'other', 'twice'], 's__');
    expect(tools.map(({ name }) => name)).toEqual(['s__twice', 's__other']);
    expect(warnings).toEqual(['The server lists “twice” more than once; the first is used.']);
  });
});
