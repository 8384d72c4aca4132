import { describe, expect, it } from 'vitest';
import { agentResult, agentTool } from './agent-view.ts';
import type { CallError } from './call.ts';
import type { Tool } from './tool.ts';

const tool: Tool = {
  name: 'get_weather',
  label: 'Weather',
  extension: 'weather',
  revision: 1,
  description: 'Reports the weather.',
  parameters: { type: 'object' },
  output_schema: { type: 'array' },
  annotations: {},
  timeout_ms: null,
  examples: [{}],
  available: true,
  unavailable_reason: null,
  warnings: ['none of its business'],
};

describe('the view of an agent', () => {
  it('has a tool without texts for people', () => {
    const listed = { name: 'get_weather', title: 'Weather', description: 'Reports the weather.', inputSchema: { type: 'object' } };
    expect(agentTool(tool, false)).toEqual(listed);
    expect(agentTool(tool, true)).toEqual({ ...listed, outputSchema: { type: 'array' } });
    expect(agentTool({ ...tool, annotations: { readOnlyHint: true } }, false)).toEqual({ ...listed, annotations: { readOnlyHint: true } });
  });

  it('has a tool with the metadata of its server for programs', () => {
    expect(agentTool({ ...tool, meta: { ui: { resourceUri: 'ui://chart' } } }, false)).toHaveProperty('_meta', {
      ui: { resourceUri: 'ui://chart' },
    });
    expect(agentTool(tool, true)).not.toHaveProperty('_meta');
  });

  it('has a tool without a title when its file has none', () => {
    const alone = { ...tool, extension: 'tools/get_weather', label: 'Tools' };
    expect(agentTool(alone, false)).not.toHaveProperty('title');
    expect(agentTool({ ...alone, label: 'Weather' }, false)).toHaveProperty('title', 'Weather');
    expect(agentTool({ ...alone, extension: 'weather' }, false)).toHaveProperty('title', 'Tools');
  });

  it('has a result as text, and as structured content if the protocol allows it', () => {
    const form = { isRemote: false, hasOutputSchema: true, isModern: false };
    expect(agentResult({ result: [1], error: null }, form)).toEqual({ content: [{ type: 'text', text: '[1]' }] });
    expect(agentResult({ result: [1], error: null }, { ...form, isModern: true })).toMatchObject({ structuredContent: [1] });
  });

  it('has a failure as text', () => {
    const error = { kind: 'execution_error', message: 'There is no such city.' } as const;
    expect(agentResult({ result: null, error }, { isRemote: false, hasOutputSchema: false, isModern: true })).toEqual({
      content: [{ type: 'text', text: 'There is no such city.' }],
      isError: true,
    });
  });
});

const remote = { isRemote: true, hasOutputSchema: false, isModern: false };

describe('a result of an MCP server for an agent', () => {
  const blocks = (content: unknown, more = {}): unknown => agentResult({ result: { content, ...more }, error: null }, remote);
  const text = (said: string) => ({ type: 'text', text: said });

  it.each<[string, unknown, unknown]>([
    ['an unknown kind of block', { type: 'hologram', data: 'x' }, text('{"type":"hologram","data":"x"}')],
    ['a block without a kind', { text: 'hello' }, text('{"text":"hello"}')],
    ['a text that is a number', { type: 'text', text: 7 }, text('{"type":"text","text":7}')],
    ['an image without its type', { type: 'image', data: 'AAAA' }, text('{"type":"image","data":"AAAA"}')],
    ['a text alone', 'hello', text('hello')],
    ['null', null, text('null')],
  ])('shows %s as text', (_what, block, shown) => {
    expect(blocks([block, text('ok')])).toEqual({ content: [shown, text('ok')] });
  });

  it.each<[string, object, object]>([
    ['null for annotations and `_meta`', { ...text('a'), annotations: null, _meta: null }, text('a')],
    ['an audience of others', { ...text('a'), annotations: { audience: ['everyone'], priority: 5 } }, { ...text('a'), annotations: {} }],
    [
      'null for what is optional of a link',
      { type: 'resource_link', uri: 'a:b', name: 'b', title: null, size: '7', icons: null },
      { type: 'resource_link', uri: 'a:b', name: 'b' },
    ],
    [
      'null for the type of a resource',
      { type: 'resource', resource: { uri: 'a:b', text: 'c', mimeType: null } },
      { type: 'resource', resource: { uri: 'a:b', text: 'c' } },
    ],
  ])('reads %s as absent', (_what, block, shown) => {
    expect(blocks([block])).toEqual({ content: [shown] });
  });

  it('has a text too when the server returned structured content only', () => {
    expect(blocks([], { structuredContent: { a: 1 } })).toEqual({ content: [text('{"a":1}')], structuredContent: { a: 1 } });
    expect(blocks(null, { structuredContent: [1] })).toEqual({ content: [text('[1]')] });
    expect(blocks(undefined, { structuredContent: null, isError: null, _meta: null })).toEqual({ content: [] });
    expect(agentResult({ result: { toolResult: 7 }, error: null }, remote)).toEqual({ content: [text('{"toolResult":7}')] });
  });

  it('has no structured content for a failed call with a schema, since clients would validate it', () => {
    const error = {
      kind: 'execution_error',
      message: 'no',
      data: { content: [], structuredContent: { why: 'no' }, isError: true },
    } as const;
    const form = { ...remote, hasOutputSchema: true };
    expect(agentResult({ error }, form)).toEqual({ content: [text('{"why":"no"}')], isError: true });
    expect(agentResult({ error }, remote)).toHaveProperty('structuredContent', { why: 'no' });
  });

  it('follows the reason when it violates its schema', () => {
    const error: CallError = {
      kind: 'schema_error',
      message: "The tool's result does not match its own output_schema: /structuredContent/a must be a text.",
      issues: [{ path: '/structuredContent/a', keyword: 'type', message: 'must be a text' }],
      data: { content: [text('order 4711 placed')], structuredContent: { a: 1 } },
    };
    expect(agentResult({ error }, { ...remote, hasOutputSchema: true })).toEqual({
      content: [
        text("The tool's result does not match its own output_schema:\n- /structuredContent/a: must be a text"),
        text('order 4711 placed'),
      ],
      isError: true,
    });
  });
});
