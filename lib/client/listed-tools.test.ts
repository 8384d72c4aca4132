import { expect, it } from 'vitest';
import type { Tool } from '#lib/contract/tool.ts';
import { listTools } from './listed-tools.ts';

const tool: Tool = {
  name: 'get_weather',
  label: 'Data',
  extension: 'weather',
  revision: 3,
  description: 'The weather of a city',
  parameters: { type: 'object', properties: { city: { type: 'string' } } },
  output_schema: { type: 'object' },
  annotations: { readOnlyHint: true },
  timeout_ms: null,
  examples: [{ city: 'Oslo' }],
  available: true,
  unavailable_reason: null,
  warnings: [],
};

it('lists tools without their schemas', () => {
  const { parameters: _parameters, output_schema: _output, examples: _examples, ...listed } = tool;
  expect(listTools({ version: 7, tools: [tool] })).toEqual({ version: 7, tools: [listed] });
});
