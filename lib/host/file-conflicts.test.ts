import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { createFileOwnership } from './file-conflicts.ts';

const DIR = path.resolve('extensions');
const place = (folder: string, entryFile: string) => ({ folder: path.join(DIR, folder), entryFile: path.join(DIR, entryFile) });

describe('a file belongs to', () => {
  it('an extension with its own folder, if it is in that folder or part of its build', () => {
    const isOwn = createFileOwnership('weather', place('weather', 'weather/extension.ts'), DIR, [
      'weather/extension.ts',
      '_shared/words.ts',
    ]);
    for (const file of ['weather', 'weather/extension.ts', 'weather/.env', 'weather/deep/data.json', '_shared/words.ts'])
      expect(isOwn(file), file).toBe(true);
    for (const file of ['weather2/extension.ts', '_shared/other.ts', '.env', 'tools/weather.ts']) expect(isOwn(file), file).toBe(false);
  });

  it('one of several extensions in a folder, if it is its entry or may be its helper', () => {
    const isOwn = createFileOwnership('tools/one', place('tools', 'tools/one.ts'), DIR, []);
    for (const file of ['tools/one.ts', 'tools/_words.ts', 'tools/lib/words.ts', 'tools']) expect(isOwn(file), file).toBe(true);
    for (const file of ['tools/two.ts', 'tools/.env', 'channels/one.ts']) expect(isOwn(file), file).toBe(false);
  });

  it('a server in a shared mcp.json, if it is that file', () => {
    const isOwn = createFileOwnership('github', place('', 'mcp.json'), DIR, []);
    expect(['mcp.json', 'github/x.ts', '_lib/x.ts'].map(isOwn)).toEqual([true, false, false]);
  });
});
