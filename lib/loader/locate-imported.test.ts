import { expect, test } from 'vitest';
import { locateImported } from './locate-subject.ts';

test.each([
  [
    'a name',
    { 'a/extension.ts': `import { x } from './x.ts';\nimport pg, { Pool, no as yes } from 'pg';` },
    { file: 'a/extension.ts', line: 2, column: 20 },
  ],
  ['a default', { 'a/extension.mjs': `import no, { def } from './x.ts';\nimport def from 'pg';` }, null],
  ['a helper', { 'a/extension.ts': `import './h.ts';`, 'a/h.ts': `import {\n  no,\n} from 'pg';` }, { file: 'a/h.ts', line: 2, column: 3 }],
  ['what is no code', { 'a/data.json': '"import"' }, null],
])('finds the import of a name from a package: %s', (_, sources, place) => {
  expect(locateImported(sources, 'no')).toEqual(place);
});

test('finds the import of the default export of a package', () => {
  expect(locateImported({ 'a/extension.ts': `import pg from 'pg';` }, 'default')).toEqual({ file: 'a/extension.ts', line: 1, column: 8 });
});
