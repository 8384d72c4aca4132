import path from 'node:path';
import { expect, it } from 'vitest';
import type { Candidate } from '#lib/loader/build.ts';
import { declarePackage, hintMissing, missingPackage } from './missing-packages.ts';

const python: Candidate = { id: 'x', kind: 'tools', runtime: 'python', folder: '/e/x', entryFile: '/e/x/extension.py' };
const node: Candidate = { ...python, runtime: 'node', entryFile: '/e/x/extension.ts' };
const reader = (files: Readonly<Record<string, string>>) => async (file: string) => {
  const text = files[path.relative('/e/x', file)];
  return text === undefined
    ? ({ ok: false, reason: 'absent', message: 'absent' } as const)
    : ({ ok: true, bytes: new TextEncoder().encode(text) } as const);
};
const edit = async (candidate: Candidate, files: Readonly<Record<string, string>>, name = 'new-one') =>
  declarePackage(candidate, name, reader(files));

it.each([
  ["No module named 'yaml'.", 'PyYAML'],
  ["No module named 'cv2'.", 'opencv-python'],
  ["No module named 'PIL.Image'.", 'pillow'],
  ["No module named 'my_package.part'.", 'my-package'],
  ["No module named 'extensions.x.helper'.", null],
  ['The package "@scope/a" is not installed where this file can reach it.', '@scope/a'],
  ['The file "./a.ts" does not exist (resolved to x/a.ts).', null],
])('names the package of %j', (message, expected) => {
  expect(missingPackage({ code: 'import_unresolved', message })).toBe(expected);
  expect(missingPackage({ code: 'import_error', message })).toBeNull();
});

it('adds a package to the file that declares the packages of the extension', async () => {
  expect(await edit(node, {})).toMatchObject({
    file: '/e/x/package.json',
    before: null,
    after: '{\n  "dependencies": {\n    "new-one": "*"\n  }\n}\n',
  });
  const manifest = await edit(node, { 'package.json': '{"name":"x","dependencies":{"a":"1"}}' });
  expect(JSON.parse(manifest?.after ?? '')).toEqual({ name: 'x', dependencies: { a: '1', 'new-one': '*' } });
  expect(await edit(node, { 'package.json': '{' })).toBeNull();
  expect(await edit(python, {})).toMatchObject({ file: '/e/x/requirements.txt', before: null, after: 'new-one\n' });
  expect(await edit(python, { 'requirements.txt': 'a==1' })).toMatchObject({ before: 'a==1', after: 'a==1\nnew-one\n' });
  expect(await edit(python, { 'pyproject.toml': '[project]\n' })).toBeNull();
  const entry = 'import a\n\n# /// script\n# dependencies = [\n#   "a>=1",\n# ]\n# ///\n';
  expect((await edit(python, { 'extension.py': entry }))?.after).toBe(entry.replace('[\n', '["new-one", \n'));
  const empty = '# /// script\n# requires-python = ">=3.10"\n# ///\nimport b\n';
  expect((await edit(python, { 'extension.py': empty }))?.after).toBe(empty.replace('script\n', 'script\n# dependencies = ["new-one"]\n'));
  expect((await edit(python, { 'extension.py': '# /// script\n# dependencies = []\n# ///\n' }))?.after).toContain(
    '# dependencies = ["new-one"]\n',
  );
});

it('adds a script block to a file that shares its folder', async () => {
  const single: Candidate = { ...python, id: 'tools/see', kind: 'tool', entryFile: '/e/x/see.py' };
  const block = '# /// script\n# dependencies = ["new-one"]\n# ///\n';
  for (const [entry, first] of [
    ['import cv2\n', ''],
    ['#!/usr/bin/env python3\n# -*- coding: utf-8 -*-\n"""About."""\n', '#!/usr/bin/env python3\n# -*- coding: utf-8 -*-\n'],
    ['# About.\nimport cv2\n', ''],
  ] as const) {
    const made = await edit(single, { 'see.py': entry });
    expect(made).toMatchObject({ file: '/e/x/see.py', before: entry, after: `${first}${block}${entry.slice(first.length)}` });
    expect((await edit(single, { 'see.py': made?.after ?? '' }, 'second'))?.after).toContain('["second", "new-one"]');
  }
  expect((await edit(single, { 'see.py': 'import cv2\r\n' }))?.after).toBe(`${block}import cv2\n`.replaceAll('\n', '\r\n'));
  expect(await edit(single, { 'see.py': 'import cv2\n', 'requirements.txt': 'a\n' })).toMatchObject({ file: '/e/x/requirements.txt' });
  const failure = {
    code: 'import_unresolved' as const,
    message: "No module named 'cv2'.",
    hint: 'If it is your own file, check its spelling and location. If it is a package, install it with `/usr/bin/python3 -m pip install cv2`, or in a `.venv` in the folder of the extension; then press Reload.',
  };
  expect((await hintMissing(single, failure, '/e', reader({ 'see.py': 'import cv2\n' }))).hint).toBe(
    'Declare the package: add `# dependencies = ["opencv-python"]` to the `# /// script` block of x/see.py, then press Install. Or run `/usr/bin/python3 -m pip install opencv-python`, then press Reload. If it is your own file, check its spelling and location.',
  );
});

it('suggests the line to add, and does not change the hints of other failures', async () => {
  const failure = {
    code: 'import_unresolved' as const,
    message: "No module named 'yaml'.",
    hint: 'If it is your own file, check its spelling.',
  };
  expect((await hintMissing(python, failure, '/e', reader({}))).hint).toMatch(
    /^Declare the package: add `PyYAML` to x\/requirements\.txt, then press Install\. If it is/,
  );
  const ofNode = {
    code: 'import_unresolved' as const,
    message: 'The package "lodash" is not installed where this file can reach it.',
    hint: 'Run `npm install lodash` in the extension’s folder or above it, then press Reload.',
  };
  expect((await hintMissing(node, ofNode, '/e', reader({}))).hint).toBe(
    'Declare the package: add `"lodash": "*"` to x/package.json, then press Install. Or run `npm install lodash` in the extension’s folder or above it, then press Reload.',
  );
  const meant = { ...failure, hint: 'Did you mean `x/Yaml.py`?' };
  expect(await hintMissing(python, meant, '/e', reader({}))).toBe(meant);
  const other = { ...failure, message: 'something else' };
  expect(await hintMissing(python, other, '/e', reader({}))).toBe(other);
});
