import { expect, it } from 'vitest';
import { pythonImports } from './python-builder.ts';

const plain = (module: string) => ({ level: 0, module, names: [] });

it.each([
  ['import a', [plain('a')]],
  ['import a.b as c, d', [plain('a.b'), plain('d')]],
  ['from a.b import c as d, e', [{ level: 0, module: 'a.b', names: ['c', 'e'] }]],
  ['from . import a', [{ level: 1, module: '', names: ['a'] }]],
  ['from ...a.b import c', [{ level: 3, module: 'a.b', names: ['c'] }]],
  ['from .a import (  # why\n    b,\n    c as d,\n)\nimport e', [{ level: 1, module: 'a', names: ['b', 'c'] }, plain('e')]],
  ['from .a import *', [{ level: 1, module: 'a', names: [] }]],
  ['import a; import b', [plain('a'), plain('b')]],
  ['import a, \\\n    b', [plain('a'), plain('b')]],
  ['try: import a\nexcept ImportError: import b', [plain('a'), plain('b')]],
  ['def f():\n    from a import b\n', [{ level: 0, module: 'a', names: ['b'] }]],
  ['import größe\r\nimport b', [plain('größe'), plain('b')]],
])('finds the imports in %j', (source, found) => {
  expect(pythonImports(source)).toEqual(found);
});

it.each([
  '"""\nimport a\n"""',
  "x = 'import a'",
  '# import a',
  "text = r'''\nfrom a import b\n'''",
  'x = f"""\nimport a {1}\n"""',
  'yield_from = important\nx.import_a = 1',
  'raise ValueError from error',
  'def f():\n    yield from a\n',
  "x = 'it\\'s\\\nimport a'",
])('finds no import in %j', (source) => {
  expect(pythonImports(source)).toEqual([]);
});

it('finds the imports of a source that Python rejects', () => {
  expect(pythonImports('import a\nx = "unended\nimport b\nfrom . import (c')).toEqual([
    plain('a'),
    plain('b'),
    { level: 1, module: '', names: ['c'] },
  ]);
});
