import { describe, expect, it } from 'vitest';
import { agentResult, agentTool } from './agent-view.ts';
import type { Tool } from './tool.ts';

const tool: Tool = {
  name: 'get_weather',
  label: 'Weather',
  extension: 'weather',
  revision: 1,
  description: 'Tells the weather.',
  parameters: { type: 'object' },
  output_schema: { type: 'array' },
  annotations: {},
  timeout_ms: null,
  examples: [{}],
  available: true,
  unavailable_reason: null,
  warnings: ['none of its business'],
};

describe('what an agent is given', () => {
  it('is the tool without what only people are told', () => {
    const listed = { name: 'get_weather', title: 'Weather', description: 'Tells the weather.', inputSchema: { type: 'object' } };
    expect(agentTool(tool, false)).toEqual(listed);
    expect(agentTool(tool, true)).toEqual({ ...listed, outputSchema: { type: 'array' } });
    expect(agentTool({ ...tool, annotations: { readOnlyHint: true } }, false)).toEqual({ ...listed, annotations: { readOnlyHint: true } });
  });

  it('is a tool without a title where its file names none', () => {
    const alone = { ...tool, extension: 'tools/get_weather', label: 'Tools' };
    expect(agentTool(alone, false)).not.toHaveProperty('title');
    expect(agentTool({ ...alone, label: 'Weather' }, false)).toHaveProperty('title', 'Weather');
    expect(agentTool({ ...alone, extension: 'weather' }, false)).toHaveProperty('title', 'Tools');
  });

  it('is a result as text, and as structure where the protocol has room', () => {
    const form = { isRemote: false, hasOutputSchema: true, isModern: false };
    expect(agentResult({ result: [1], error: null }, form)).toEqual({ content: [{ type: 'text', text: '[1]' }] });
    expect(agentResult({ result: [1], error: null }, { ...form, isModern: true })).toMatchObject({ structuredContent: [1] });
  });

  it('is a failure in words', () => {
    const error = { kind: 'execution_error', message: 'There is no such city.' } as const;
    expect(agentResult({ result: null, error }, { isRemote: false, hasOutputSchema: false, isModern: true })).toEqual({
      content: [{ type: 'text', text: 'There is no such city.' }],
      isError: true,
    });
  });
});
