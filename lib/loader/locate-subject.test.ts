import { expect, test } from 'vitest';
import { locateSubject } from './locate-subject.ts';

/** The text that begins at the found location; `…` means nothing found. */
function textAt(source: string, subject: readonly (string | number)[], path = '/e/extension.ts'): string {
  const place = locateSubject(source, path, subject);
  if (place === null) return '…';
  const line = source.split('\n')[place.line - 1] ?? '';
  return line.slice(place.column - 1).trim();
}

test('finds a property of TOOL by line and column', () => {
  const source = `const x = 1;\nexport const TOOL = {\n  label: '',\n  parameters: {\n    /* é天 */ city: { type: 5 },\n  },\n};`;
  expect(locateSubject(source, '/e/extension.ts', ['TOOL', 'parameters', 'city'])).toEqual({ line: 5, column: 14 });
  expect(textAt(source, ['TOOL', 'parameters', 'city', 'type'])).toBe('type: 5 },');
  expect(textAt(source, ['TOOL'])).toBe('TOOL = {');
});

test.each([
  [`export const TOOL = {\n label: '' } as const;`],
  [`export const TOOL = <Tool>{\n label: '' };`],
  [`export const TOOL = ({\n label: '' }) satisfies Tool;`],
  [`export const TOOL = defineTool({\n label: '' });`],
  [`export const TOOL = defineTool('name', {\n label: '' });`],
  [`export const TOOL = Object.freeze({\n label: '' } as const);`],
  [`const tool = {\n label: '' };\nexport { tool as TOOL };`],
  [`const base = {\n label: '' };\nexport const TOOL = { ...base, name: 'x' };`],
  [`const tools = { one: {\n label: '' } };\nexport const TOOL = tools.one;`],
  [`export const TOOL: Tool = new Tool({\n label: '' });`],
])('looks through the expression around the object: %s', (source) => {
  expect(textAt(source, ['TOOL', 'label'])).toMatch(/^label: ''/);
});

test.each([
  [`module.exports = {\n TOOL: {\n  label: '' } };`],
  [`module.exports.TOOL = {\n  label: '' };`],
  [`exports.TOOL = {\n  label: '' };`],
  [`const TOOL = {\n  label: '' };\nmodule.exports = { TOOL };`],
  [`const all = { TOOL: {\n  label: '' } };\nmodule.exports = exports = all;`],
])('reads CommonJS: %s', (source) => {
  expect(textAt(source, ['TOOL', 'label'], '/e/extension.js')).toMatch(/^label: ''/);
});

test('finds elements by index, also through constants, spreads and map', () => {
  const source = `const second = {\n  name: 'two' };\nconst more = [{ name: 'three' }];\nexport const TOOLS = [\n  { name: 'one' },\n  second,\n  ...more,\n  ...unknown(),\n];\nexport const MAPPED = [\n  { name: 'm' },\n].map(f);`;
  expect(textAt(source, ['TOOLS', 0, 'name'])).toBe(`name: 'one' },`);
  expect(textAt(source, ['TOOLS', 1])).toBe('second = {');
  expect(textAt(source, ['TOOLS', 1, 'name'])).toBe(`name: 'two' };`);
  expect(textAt(source, ['TOOLS', 2, 'name'])).toBe(`name: 'three' }];`);
  expect(textAt(source, ['TOOLS', 3, 'name'])).toBe('...unknown(),');
  expect(textAt(source, ['MAPPED', 0, 'name'])).toBe(`name: 'm' },`);
});

test('returns the nearest enclosing location when the source does not show the value', () => {
  const source = `import { params } from './p.ts';\nexport const TOOL = {\n  parameters: params,\n};\nexport { gone as TOOLS } from './g.ts';`;
  expect(textAt(source, ['TOOL', 'parameters', 'city'])).toBe('parameters: params,');
  expect(textAt(source, ['TOOL', 'execute'])).toBe('TOOL = {');
  expect(textAt(source, ['TOOLS', 0])).toBe(`gone as TOOLS } from './g.ts';`);
});

test('returns null when there is nothing to find', () => {
  expect(locateSubject('export const x = 1;', '/e/extension.ts', ['TOOL'])).toBeNull();
  expect(locateSubject('export const TOOL = {', '/e/extension.ts', [])).toBeNull();
  expect(locateSubject('TOOL = {}', '/e/extension.py', ['TOOL'])).toBeNull();
  expect(locateSubject('const TOOL = a; const a = TOOL; export { TOOL };', '/e/extension.ts', ['TOOL', 'x'])).not.toBeNull();
});
