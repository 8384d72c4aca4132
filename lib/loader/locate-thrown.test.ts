import { expect, test } from 'vitest';
import { locateThrown } from './locate-subject.ts';

test.each([
  ['null', `const a = 1;\n\nthrow null;`, { line: 3, column: 1 }],
  ['a text', `function f() { throw new Error('x'); }\nif (!process.env.X) throw 'null';`, { line: 2, column: 21 }],
  ['what is computed', `throw \`\${1}\`;`, { line: 1, column: 1 }],
  ['in a function', `function f(): void {\n  throw null;\n}\nf();`, { line: 2, column: 3 }],
  ['another text', `throw 'another';`, null],
  ['one of two', `try { f(); } catch (error) { throw error; }\nthrow null;`, null],
  ['an error alone', `throw new Error('x');`, null],
])('finds where a value that is not an error is thrown: %s', (_, source, place) => {
  expect(locateThrown({ 'a/extension.ts': source }, 'null')).toEqual(place && { file: 'a/extension.ts', ...place });
});

test('finds the value in a helper, by the beginning of its text, and in a long source', () => {
  const long = `const text = ${Array.from({ length: 5_000 }, () => "'a'").join(' + ')};\nthrow 'a long text';`;
  expect(locateThrown({ 'a/extension.ts': `import './h.ts';`, 'a/h.ts': long }, 'a long')).toEqual({ file: 'a/h.ts', line: 2, column: 1 });
});

test('returns null for an empty text, and the only throw for an unknown value', () => {
  expect(locateThrown({ 'a/extension.ts': 'throw {};' }, undefined)).toEqual({ file: 'a/extension.ts', line: 1, column: 1 });
  expect(locateThrown({ 'a/extension.ts': "throw '';" }, undefined)).toBeNull();
});
