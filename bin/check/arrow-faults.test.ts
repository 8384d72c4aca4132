import { describe, expect, it } from 'vitest';
import { arrowFaults } from './arrow-faults.ts';

const ENTRY = 'server.ts';

function faultsOf(sources: Record<string, string>): readonly string[] {
  return arrowFaults(new Map(Object.entries(sources)));
}

describe('the arrows between rooms', () => {
  it('passes what the table allows, and type imports where it says types', () => {
    expect(
      faultsOf({
        [ENTRY]: `import { a } from '#lib/api/a.ts'; import { b } from './lib/host/b.ts'; a(b);`,
        'lib/api/a.ts': `import type { Host } from '#lib/host/b.ts'; import { c } from '#lib/contract/c.ts'; export const a = (host: Host) => c;`,
        'lib/host/b.ts': `export interface Host {}; export const b = 1;`,
        'lib/contract/c.ts': `import { z } from 'zod'; export const c = z;`,
      }),
    ).toEqual([]);
  });

  it('refuses a room that is not listed, a value where only types are, and unlisted packages', () => {
    const faults = faultsOf({
      [ENTRY]: `import '#lib/api/a.ts'; import '#lib/contract/c.ts';`,
      'lib/api/a.ts': `import { b } from '#lib/host/b.ts'; export { b };`,
      'lib/host/b.ts': `export const b = 1;`,
      'lib/contract/c.ts': `import { b } from '#lib/host/b.ts'; import fs from 'node:fs'; import x from 'left-pad'; export { b, fs, x };`,
    });
    expect(faults).toHaveLength(4);
    expect(faults[0]).toContain('only types of host');
    expect(faults[1]).toContain('contract may not import host');
    expect(faults[2]).toContain('where there is no Node');
    expect(faults[3]).toContain('the package left-pad');
  });

  it('follows dynamic imports, types named by import() and files named by URL', () => {
    const faults = faultsOf({
      [ENTRY]: `await import('#lib/host/b.ts');`,
      'lib/host/b.ts': `const file = new URL('../api/a.ts', import.meta.url); export type A = import('#lib/mcp/m.ts').M; export { file };`,
      'lib/api/a.ts': `export const a = 1;`,
      'lib/mcp/m.ts': `export interface M {}`,
    });
    expect(faults.map((fault) => fault.split(' ')[0])).toEqual(['lib/host/b.ts:1', 'lib/host/b.ts:1']);
  });

  it('refuses circles of values, not of types', () => {
    const sources = {
      [ENTRY]: `import '#lib/host/a.ts';`,
      'lib/host/a.ts': `import { b } from './b.ts'; export const a = b;`,
      'lib/host/b.ts': `import { a } from './a.ts'; export const b = a;`,
    };
    expect(faultsOf(sources)).toEqual(['lib/host/a.ts imports itself in a circle: lib/host/a.ts → lib/host/b.ts → lib/host/a.ts']);
    expect(faultsOf({ ...sources, 'lib/host/b.ts': `import type { a } from './a.ts'; export const b: typeof a = 1;` })).toEqual([]);
  });

  it('names orphans, missing files, homeless files, empty names and star exports', () => {
    const faults = faultsOf({
      [ENTRY]: `import './lib/host/gone.ts'; import './lib/host/utils.ts';`,
      'lib/host/utils.ts': `export * from './b.ts';`,
      'lib/host/b.ts': `export const b = 1;`,
      'lib/host/b.test.ts': `import './lonely.ts'; import 'anything';`,
      'lib/host/lonely.ts': `export const lonely = 1;`,
      'lib/elsewhere/x.ts': `export const x = 1;`,
    });
    expect(faults.join('\n')).toMatch(
      /elsewhere\/x\.ts is in no room[^]*utils\.ts has a name that says nothing[^]*utils\.ts:1 exports everything[^]*gone\.ts, which is not there[^]*lonely\.ts is an orphan/,
    );
    expect(faults).toHaveLength(5);
  });

  it('says that a file cannot be read', () => {
    expect(faultsOf({ [ENTRY]: 'const = 1;' })[0]).toContain('server.ts cannot be read');
  });

  it('lets shipped extensions use what authors may use, and no feature import another', () => {
    expect(
      faultsOf({ 'extensions/a/extension.ts': `import { ToolError } from 'switchboard'; import { readFile } from 'node:fs/promises';` }),
    ).toEqual([]);
    expect(
      faultsOf({
        'app/page.tsx': `import '../components/calls/A.tsx';`,
        'components/calls/A.tsx': `import { b } from '#components/shell/B.tsx'; export const a = b;`,
        'components/shell/B.tsx': `export const b = 1;`,
      }),
    ).toEqual([expect.stringContaining('components/calls may not import components/shell')]);
  });
});
