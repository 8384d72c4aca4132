import { describe, expect, it } from 'vitest';
import { createFileOwnership } from './file-conflicts.ts';

describe('a file belongs to', () => {
  it('an extension with its own folder, if it is in that folder or part of its build', () => {
    const isOwn = createFileOwnership({ id: 'weather', path: 'weather/extension.ts' }, 'weather', [
      'weather/extension.ts',
      '_shared/words.ts',
    ]);
    for (const file of ['weather', 'weather/extension.ts', 'weather/.env', 'weather/deep/data.json', '_shared/words.ts'])
      expect(isOwn(file), file).toBe(true);
    for (const file of ['weather2/extension.ts', '_shared/other.ts', '.env', 'tools/weather.ts']) expect(isOwn(file), file).toBe(false);
  });

  it('one of several extensions in a folder, if it is its entry or may be its helper', () => {
    const isOwn = createFileOwnership({ id: 'tools/one', path: 'tools/one.ts' }, 'tools', []);
    for (const file of ['tools/one.ts', 'tools/_words.ts', 'tools/lib/words.ts', 'tools']) expect(isOwn(file), file).toBe(true);
    for (const file of ['tools/two.ts', 'tools/.env', 'channels/one.ts']) expect(isOwn(file), file).toBe(false);
  });

  it('a server in a shared mcp.json, if it is that file', () => {
    const isOwn = createFileOwnership({ id: 'github', path: 'mcp.json' }, '.', []);
    expect(['mcp.json', 'github/x.ts', '_lib/x.ts'].map(isOwn)).toEqual([true, false, false]);
  });
});
