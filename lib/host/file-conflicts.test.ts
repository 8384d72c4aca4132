import { describe, expect, it } from 'vitest';
import { createFileOwnership } from './file-conflicts.ts';

describe('a file belongs to', () => {
  it('an extension with a folder of its own, if it is in that folder or built in', () => {
    const isOwn = createFileOwnership({ id: 'weather', path: 'weather/extension.ts' }, 'weather', [
      'weather/extension.ts',
      '_shared/words.ts',
    ]);
    for (const file of ['weather', 'weather/extension.ts', 'weather/.env', 'weather/deep/data.json', '_shared/words.ts'])
      expect(isOwn(file), file).toBe(true);
    for (const file of ['weather2/extension.ts', '_shared/other.ts', '.env', 'tools/weather.ts']) expect(isOwn(file), file).toBe(false);
  });

  it('one of several in a folder, if it is its file or may be a helper of it', () => {
    const isOwn = createFileOwnership({ id: 'tools/one', path: 'tools/one.ts' }, 'tools', []);
    for (const file of ['tools/one.ts', 'tools/_words.ts', 'tools/lib/words.ts', 'tools']) expect(isOwn(file), file).toBe(true);
    for (const file of ['tools/two.ts', 'tools/.env', 'channels/one.ts']) expect(isOwn(file), file).toBe(false);
  });

  it('a server of a file with several, if it is that file', () => {
    const isOwn = createFileOwnership({ id: 'github', path: 'mcp.json' }, '.', []);
    expect(['mcp.json', 'github/x.ts', '_lib/x.ts'].map(isOwn)).toEqual([true, false, false]);
  });
});
