import { describe, expect, it } from 'vitest';
import type { CallError } from '#lib/contract/call.ts';
import { callResult } from './call-result.ts';
import type { CatalogueTool } from './tool-catalogue.ts';
import { MODERN_VERSION } from './protocol.ts';

const plain: Pick<CatalogueTool, 'server' | 'hasOutputSchema'> = { server: null, hasOutputSchema: false };

function said(
  { result, error = null }: { result?: unknown; error?: CallError | null },
  tool: Partial<typeof plain> = {},
  generation: '2025' | typeof MODERN_VERSION = '2025',
): unknown {
  return callResult({ id: 'c1', result: result ?? null, error }, { ...plain, ...tool }, generation === MODERN_VERSION);
}

describe('the result of a call for an agent', () => {
  it.each([
    [null, 'null'],
    [7, '7'],
    [true, 'true'],
    ['a "text"', 'a "text"'],
    [[1], '[1]'],
  ])('%j is the text %j, and not structured', (result, text) => {
    expect(said({ result })).toEqual({ content: [{ type: 'text', text }], _meta: { 'switchboard/call_id': 'c1' } });
  });

  it('shows objects in both forms, other values where the protocol and a schema allow them', () => {
    expect(said({ result: { a: 1 } })).toMatchObject({ content: [{ text: '{"a":1}' }], structuredContent: { a: 1 } });
    expect(said({ result: [1] }, { hasOutputSchema: true }, MODERN_VERSION)).toMatchObject({
      structuredContent: [1],
      _meta: { 'switchboard/call_id': 'c1' },
    });
    expect(said({ result: [1] }, { hasOutputSchema: true })).not.toHaveProperty('structuredContent');
  });

  it('keeps MCP content that a tool returns, if the entire result is valid content', () => {
    const image = { type: 'image', data: 'AAAA', mimeType: 'image/png' };
    expect(said({ result: { content: [image] } })).toEqual({ content: [image], _meta: { 'switchboard/call_id': 'c1' } });
    expect(said({ result: { content: [image], isError: true } })).toMatchObject({ isError: true });
    for (const result of [
      { content: [] },
      { content: 'text' },
      { content: [{ type: 'image', data: 'not base64!', mimeType: 'image/png' }] },
      { content: [image], more: 1 },
    ])
      expect(said({ result })).toMatchObject({ structuredContent: result });
    expect(said({ result: { content: [image] } }, { hasOutputSchema: true })).toMatchObject({ structuredContent: { content: [image] } });
  });

  it('keeps the result of an MCP server, and its `_meta` without the server name', () => {
    const result = { content: [{ type: 'text', text: 'it' }], structuredContent: [1], _meta: { theirs: 1 } };
    const named = { ...result, _meta: { ...result._meta, 'io.modelcontextprotocol/serverInfo': { name: 'theirs', version: '1' } } };
    expect(said({ result: named }, { server: 'every' }, MODERN_VERSION)).toEqual({
      ...result,
      _meta: { theirs: 1, 'switchboard/call_id': 'c1' },
    });
    expect(said({ result }, { server: 'every' })).not.toHaveProperty('structuredContent');
    const error: CallError = {
      kind: 'execution_error',
      message: 'no',
      data: { content: [{ type: 'text', text: 'their words' }], isError: true },
    };
    expect(said({ error }, { server: 'every' })).toMatchObject({ content: [{ type: 'text', text: 'their words' }], isError: true });
  });

  it('lists a limited number of argument errors', () => {
    const issues = Array.from({ length: 25 }, (_, at) => ({ path: at === 0 ? '' : `/field_${at}`, keyword: 'type', message: 'is wrong' }));
    const text = JSON.stringify(
      said({ error: { kind: 'invalid_parameters', message: 'The arguments are invalid: /a is wrong.', issues } }),
    );
    expect(text).toContain('The arguments are invalid:\\n- all arguments: is wrong\\n- /field_1: is wrong');
    expect(text).toContain('- /field_19: is wrong\\n- and 5 more');
    expect(text).toContain('"isError":true');
  });

  it('omits error data that is too long', () => {
    const error: CallError = { kind: 'execution_error', message: 'It failed', data: 'x'.repeat(5_000) };
    expect(said({ error })).toMatchObject({ content: [{ text: 'It failed' }] });
  });
});
