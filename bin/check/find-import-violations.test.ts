import { describe, expect, it } from 'vitest';
import { findImportViolations } from './find-import-violations.ts';

const ENTRY = 'server.ts';

function violationsOf(sources: Record<string, string>): readonly string[] {
  return findImportViolations(new Map(Object.entries(sources)));
}

describe('import rules', () => {
  it('accepts allowed imports, and type imports of modules marked as types', () => {
    expect(
      violationsOf({
        [ENTRY]: `import { a } from '#lib/api/a.ts'; import { b } from './lib/host/b.ts'; a(b);`,
        'lib/api/a.ts': `import type { Host } from '#lib/host/b.ts'; import { c } from '#lib/contract/c.ts'; export const a = (host: Host) => c;`,
        'lib/host/b.ts': `export interface Host {}; export const b = 1;`,
        'lib/contract/c.ts': `import { z } from 'zod'; export const c = z;`,
      }),
    ).toEqual([]);
  });

  it('rejects unlisted modules, values from modules marked as types, and unlisted packages', () => {
    const violations = violationsOf({
      [ENTRY]: `import '#lib/api/a.ts'; import '#lib/contract/c.ts';`,
      'lib/api/a.ts': `import { b } from '#lib/host/b.ts'; export { b };`,
      'lib/host/b.ts': `export const b = 1;`,
      'lib/contract/c.ts': `import { b } from '#lib/host/b.ts'; import fs from 'node:fs'; import x from 'left-pad'; export { b, fs, x };`,
    });
    expect(violations).toHaveLength(4);
    expect(violations[0]).toContain('only types of host');
    expect(violations[1]).toContain('contract may not import host');
    expect(violations[2]).toContain('without Node');
    expect(violations[3]).toContain('the package left-pad');
  });

  it('follows dynamic imports, types named by import() and files named by URL', () => {
    const violations = violationsOf({
      [ENTRY]: `await import('#lib/host/b.ts');`,
      'lib/host/b.ts': `const file = new URL('../api/a.ts', import.meta.url); export type A = import('#lib/mcp/m.ts').M; export { file };`,
      'lib/api/a.ts': `export const a = 1;`,
      'lib/mcp/m.ts': `export interface M {}`,
    });
    expect(violations.map((violation) => violation.split(' ')[0])).toEqual(['lib/host/b.ts:1', 'lib/host/b.ts:1']);
  });

  it('rejects import cycles of values, not of types', () => {
    const sources = {
      [ENTRY]: `import '#lib/host/a.ts';`,
      'lib/host/a.ts': `import { b } from './b.ts'; export const a = b;`,
      'lib/host/b.ts': `import { a } from './a.ts'; export const b = a;`,
    };
    expect(violationsOf(sources)).toEqual(['lib/host/a.ts is in an import cycle: lib/host/a.ts → lib/host/b.ts → lib/host/a.ts']);
    expect(violationsOf({ ...sources, 'lib/host/b.ts': `import type { a } from './a.ts'; export const b: typeof a = 1;` })).toEqual([]);
  });

  it('reports unreachable files, missing files, files without module, generic names and star exports', () => {
    const violations = violationsOf({
      [ENTRY]: `import './lib/host/gone.ts'; import './lib/host/utils.ts';`,
      'lib/host/utils.ts': `export * from './b.ts';`,
      'lib/host/b.ts': `export const b = 1;`,
      'lib/host/b.test.ts': `import './lonely.ts'; import 'anything';`,
      'lib/host/lonely.ts': `export const lonely = 1;`,
      'lib/elsewhere/x.ts': `export const x = 1;`,
    });
    expect(violations.join('\n')).toMatch(
      /elsewhere\/x\.ts belongs to no module[^]*utils\.ts has a generic name[^]*utils\.ts:1 uses `export \*`[^]*gone\.ts, which does not exist[^]*lonely\.ts is unreachable/,
    );
    expect(violations).toHaveLength(5);
  });

  it('reports a file that cannot be parsed', () => {
    expect(violationsOf({ [ENTRY]: 'const = 1;' })[0]).toContain('server.ts cannot be read');
  });

  it('allows shipped extensions the same imports as authors, and rejects imports between features', () => {
    expect(
      violationsOf({
        'extensions/a/extension.ts': `import { ToolError } from 'switchboard'; import { readFile } from 'node:fs/promises';`,
      }),
    ).toEqual([]);
    expect(
      violationsOf({
        'app/page.tsx': `import '../components/calls/A.tsx';`,
        'components/calls/A.tsx': `import { b } from '#components/shell/B.tsx'; export const a = b;`,
        'components/shell/B.tsx': `export const b = 1;`,
      }),
    ).toEqual([expect.stringContaining('components/calls may not import components/shell')]);
  });
});
