import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { must } from '#lib/testing/living-host.ts';
import { type ConnectedClient, OFFICIAL_CLIENTS, type OfficialClient } from './clients-for-tests.ts';
import { type ServedEndpoint, serveEndpoint } from './mcp-harness.ts';

/*
 * Tools whose schemas and results are odd, of MCP servers and in both languages, as the official clients read them: one odd
 * tool must not hide the others from a client.
 */
const SERVER = path.resolve(import.meta.dirname, 'fixtures/odd-tools.mjs');

const TYPESCRIPT = `
const tool = (name, output, result, parameters = { type: 'object' }) => ({
  label: 'Odd', name, description: 'Gives ' + name + '.', parameters, output_schema: { type: 'object', ...output }, execute: () => result,
});
export const TOOLS = [
  tool('ts_boolean', { properties: { a: true, b: { type: 'array', items: true } } }, { a: 1, b: [1] }, { type: 'object', properties: { value: true } }),
  tool('ts_twin', { $id: 'https://example.com/twin', properties: { a: { type: 'integer' } } }, { a: 1 }),
  tool('ts_other_twin', { $id: 'https://example.com/twin', properties: { a: { type: 'string' } } }, { a: 'x' }),
  tool('ts_tuple', { properties: { a: { type: 'array', prefixItems: [{ type: 'string' }], items: false } } }, { a: ['x'] }),
  tool('ts_documents', { properties: { a: { $id: 'https://example.com/b', properties: { b: { $ref: '#/$defs/B' } }, $defs: { B: {} } } }, $defs: { B: {} } }, { a: 1 }),
  tool('ts_breaks', { properties: { a: { type: 'integer' } } }, { a: 'order 4713 placed' }),
];
`;

const PYTHON = `
def tool(name, output, result, parameters={"type": "object"}):
    return {
        "label": "Odd", "name": name, "description": f"Gives {name}.", "parameters": parameters,
        "output_schema": {"type": "object", **output}, "execute": lambda **_: result,
    }

TOOLS = [
    tool("py_boolean", {"properties": {"a": True}}, {"a": 1}, {"type": "object", "properties": {"value": True}}),
    tool("py_twin", {"$id": "https://example.com/twin", "properties": {"a": {"type": "boolean"}}}, {"a": True}),
    tool("py_breaks", {"properties": {"a": {"type": "integer"}}}, {"a": "order 4714 placed"}),
]
`;

/** The message of a generic validator. */
const DUMP = /"(?:code|expected)":\s*"|invalid_type|invalid_union|\[\s*\{\s*"/;

let served: ServedEndpoint;
beforeAll(async () => {
  served = await serveEndpoint({
    'odd/mcp.json': JSON.stringify({ command: 'node', args: [SERVER], prefix: '' }),
    'typed/extension.ts': TYPESCRIPT,
    'snake/extension.py': PYTHON,
  });
});
afterAll(() => served.close());

function warningsOf(name: string): string {
  return must(served.living.host.tools.get(name)).warnings.join('\n');
}

describe('an MCP server with odd tools', () => {
  it('has all named tools, and reports unnamed ones', () => {
    expect(served.living.extension('odd')).toMatchObject({ state: 'ready', failure: null });
    const { warnings, tools } = served.living.extension('odd') ?? { warnings: [], tools: [] };
    expect(tools).toHaveLength(32);
    expect(warnings).toEqual(
      expect.arrayContaining([expect.stringMatching(/^Tool 1 .*null/), expect.stringMatching(/^Tool 34 .*no name/)]),
    );
    expect(warnings.join('\n')).not.toMatch(DUMP);
  });

  it.each([
    ['missing_ref', '/properties/rows/$ref'],
    ['pattern', '/properties/slug/pattern'],
    ['draft_04', '/$schema'],
    ['old_id', 'id'],
    ['nullable', 'nullable'],
    ['empty_enum', 'enum'],
    ['meta_schema', '/properties/a/$ref'],
    ['list_output', 'the text "none"'],
  ])('warns that the output schema of %s was left out, and where it is wrong', (name, place) => {
    expect(must(served.living.host.tools.get(name)).output_schema).toBeNull();
    expect(warningsOf(name)).toContain('`outputSchema`');
    expect(warningsOf(name)).toContain(place);
    expect(warningsOf(name)).toContain('its results are not validated');
    expect(warningsOf(name)).not.toMatch(DUMP);
  });

  it('reports no equivalent schemas', () => {
    for (const name of [
      'no_type',
      'null_schema',
      'php_schema',
      'union',
      'boolean_properties',
      'null_properties',
      'nulls',
      'twin',
      'no_type_output',
    ])
      expect(warningsOf(name), name).toBe('');
  });

  it('records results that violate their schema', async () => {
    expect(await served.living.call('unknown_block')).toMatchObject({
      status: 'succeeded',
      result: {
        content: [
          { type: 'hologram', data: 'x' },
          { type: 'text', text: 'ok' },
        ],
      },
    });
    expect(await served.living.call('breaks_promise')).toMatchObject({
      status: 'failed',
      error: {
        kind: 'schema_error',
        issues: [{ path: '/structuredContent/a' }],
        data: { content: [{ type: 'text', text: 'order 4712 placed' }], structuredContent: { a: 'x' } },
      },
    });
  });
});

describe('tools of extensions with odd output schemas', () => {
  it('are all served', () => {
    for (const id of ['typed', 'snake']) expect(served.living.extension(id)).toMatchObject({ state: 'ready', failure: null });
  });

  it('are reported if they are not shown to agents', () => {
    expect(warningsOf('ts_documents')).toContain('agents are not shown it');
    expect(warningsOf('ts_boolean')).not.toContain('agents are not shown');
  });

  it.each([
    ['ts_breaks', 'order 4713 placed'],
    ['py_breaks', 'order 4714 placed'],
  ])('store the result of %s in the call, although it violates its schema', async (name, said) => {
    expect(await served.living.call(name)).toMatchObject({
      status: 'failed',
      error: { kind: 'schema_error', issues: [{ path: '/a' }], data: { result: { a: said } } },
    });
  });
});

describe.each(OFFICIAL_CLIENTS.map((client) => [client.title, client] as const))('%s', (_title, official: OfficialClient) => {
  let client: ConnectedClient;
  let listed: ReadonlyMap<unknown, Readonly<Record<string, unknown>>>;
  beforeAll(async () => {
    client = await official.connect(served.url);
    listed = new Map((await client.listTools()).tools.map((tool) => [tool['name'], tool]));
  });
  afterAll(() => client.close());

  it('lists every tool', () => {
    expect([...listed.keys()]).toEqual(served.living.host.tools.list().tools.map(({ name }) => name));
    expect(listed.get('fine')).toMatchObject({ title: 'Fine', _meta: { 'example/colour': 'red' } });
    for (const name of ['missing_ref', 'pattern', 'draft_04', 'ts_documents']) expect(listed.get(name)).not.toHaveProperty('outputSchema');
    expect(listed.get('boolean_properties')?.['inputSchema']).toMatchObject(
      official.sessions ? { properties: { a: {}, b: { not: {} } } } : { properties: { a: true, b: false } },
    );
  });

  it('calls each of them, and reads its result', async () => {
    for (const name of listed.keys()) {
      const result = await client.callTool(String(name));
      const isBroken = ['breaks_promise', 'failed', 'ts_breaks', 'py_breaks'].includes(String(name));
      expect(result['isError'] ?? false, String(name)).toBe(isBroken);
      expect(JSON.stringify(result['content']), String(name)).not.toMatch(/invalid_type|invalid_union/);
    }
  });

  it.each<[string, object]>([
    ['missing_ref', { content: [{ type: 'text', text: 'order 4711 placed' }], structuredContent: { rows: 1 } }],
    [
      'unknown_block',
      {
        content: [
          { type: 'text', text: '{"type":"hologram","data":"x"}' },
          { type: 'text', text: 'ok' },
        ],
      },
    ],
    ['structured_alone', { content: [{ type: 'text', text: '{"a":1}' }], structuredContent: { a: 1 } }],
    ['text_content', { content: [{ type: 'text', text: 'just a text' }] }],
    ['no_content', { content: [] }],
    [
      'breaks_promise',
      { isError: true, content: [{ text: expect.stringContaining('/structuredContent/a') }, { type: 'text', text: 'order 4712 placed' }] },
    ],
    ['other_twin', { structuredContent: { a: 'a' } }],
    ['ts_other_twin', { structuredContent: { a: 'x' } }],
    ['py_twin', { structuredContent: { a: true } }],
  ])('gets the expected result from %s', async (name, result) => {
    expect(await client.callTool(name)).toMatchObject(result);
  });
});
