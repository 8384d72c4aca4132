import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

const root = path.resolve(import.meta.dirname, '../..');
const page = readFileSync(path.join(root, 'docs/testing-extensions.md'), 'utf8');
const SHOWN = /\[`(extensions\/[^`]+)`\][^\n]*:\n\n```\w+\n([^]*?)\n```/g;
const shown = [...page.matchAll(SHOWN)].map(([, file = '', code = '']) => ({ file, code }));
const linesOf = (text: string): string[] => text.split('\n').map((line) => line.trim());

it('docs/testing-extensions.md shows tests of each kind', () => {
  expect(shown.map(({ file }) => file)).toEqual([
    'extensions/weather/extension.test.ts',
    'extensions/tables/test_reading.py',
    'extensions/memory/extension.test.ts',
    'extensions/math/extension.test.ts',
  ]);
});

it.each(shown)('the page shows $file as `switchboard test` runs it', ({ file, code }) => {
  const lines = new Set(linesOf(readFileSync(path.join(root, file), 'utf8')));
  // The page shortens the list of names that a module imports.
  const missing = linesOf(code).filter((line) => !lines.has(line) && !/^(import|from) /.test(line));
  expect(missing).toEqual([]);
});
