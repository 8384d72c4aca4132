import { expect, it } from 'vitest';
import { createCompiledSchemas } from './compiled-schemas.ts';
import type { ToolDescription } from './runtime.ts';

function tool(
  name: string,
  parameters: ToolDescription['parameters'],
  outputSchema: ToolDescription['outputSchema'] = null,
): ToolDescription {
  return { name, label: 'Test', description: '', parameters, outputSchema, annotations: {}, timeoutMs: null, examples: [], warnings: [] };
}

it('recognizes equal schemas under any tool name, and no others', () => {
  const compiled = createCompiledSchemas();
  expect(compiled.haveAll([tool('a', { type: 'object' })])).toBe(false);
  compiled.add([tool('a', { type: 'object' })]);
  expect(compiled.haveAll([tool('b', { type: 'object' })])).toBe(true);
  expect(compiled.haveAll([tool('b', { type: 'object' }), tool('c', { type: 'object', required: ['x'] })])).toBe(false);
  expect(compiled.haveAll([tool('b', { type: 'object' }, { type: 'string' })])).toBe(false);
  expect(compiled.haveAll([])).toBe(true);
});

it('drops schemas that have not been used for a long time', () => {
  const compiled = createCompiledSchemas();
  const first = tool('first', { type: 'object', title: 'first' });
  compiled.add([first]);
  compiled.add(Array.from({ length: 5_000 }, (_, at) => tool('t', { type: 'object', title: String(at) })));
  expect(compiled.haveAll([first])).toBe(false);
  expect(compiled.haveAll([tool('t', { type: 'object', title: '4999' })])).toBe(true);
});
