import { describe, expect, it } from 'vitest';
import { filesOf, firstFile, refusalOfName } from './SourceTab.tsx';

const all = [
  'mcp.json',
  'tools/_shared.ts',
  'tools/count_words.ts',
  'tools/count_words_test.ts',
  'tools/other.py',
  'weather/extension.ts',
  'weather/lib/help.ts',
  'weather2/extension.ts',
];

describe('the files of an extension', () => {
  it('are those of its folder', () => {
    expect(filesOf({ id: 'weather', path: 'weather' }, all)).toEqual(['weather/extension.ts', 'weather/lib/help.ts']);
  });

  it('are its one file and shared files', () => {
    expect(filesOf({ id: 'tools/count_words', path: 'tools/count_words.ts' }, all)).toEqual(['tools/_shared.ts', 'tools/count_words.ts']);
  });

  it('are the server list for an MCP server', () => {
    expect(filesOf({ id: 'memory', path: 'mcp.json' }, all)).toEqual(['mcp.json']);
  });

  it('open at the location of the failure, else at the entry file', () => {
    const files = ['weather/extension.ts', 'weather/lib/help.ts'];
    expect(firstFile(files, 'weather/lib/help.ts', 'weather')).toBe('weather/lib/help.ts');
    expect(firstFile(files, null, 'weather')).toBe('weather/extension.ts');
    expect(firstFile(files, 'elsewhere.ts', 'nothing')).toBe('weather/extension.ts');
    expect(firstFile([], null, 'weather')).toBeNull();
  });
});

describe('the name of a new file', () => {
  it.each(['helper.ts', 'lib/helper.ts', '_x.py', 'a-b.json'])('may be %s', (name) =>
    expect(refusalOfName(name, all, 'weather/')).toBeNull(),
  );
  it.each(['', '.env', '../x.ts', '/x.ts', 'a//b', 'a/.b', 'a b.ts', 'extension.ts'])('may not be %j', (name) =>
    expect(refusalOfName(name, all, 'weather/')).not.toBeNull(),
  );
});
