import { describe, expect, it } from 'vitest';
import { readPages, readTools, withoutInvalidHeaders } from './read-server-tools.ts';

const explain = (error: unknown): string => (error instanceof Error ? error.message : '');
const named = (name: string) => ({ name, inputSchema: { type: 'object' } });

/** The second of two tools; the first is valid. */
function read(odd: object) {
  const { tools, warnings } = readTools([named('good'), { name: 'odd', description: 'Odd.', ...odd }]);
  expect(warnings).toEqual([]);
  expect(tools.map(({ name }) => name)).toEqual(['good', 'odd']);
  const [, tool] = tools;
  if (tool === undefined) throw new Error('it was left out');
  return tool;
}

describe('a tool of an MCP server with an invalid field', () => {
  const schema = { type: 'object' };

  it.each<[string, object, object]>([
    ['no type', { inputSchema: { properties: { a: { type: 'string' } } } }, { type: 'object', properties: { a: { type: 'string' } } }],
    ['an empty schema', { inputSchema: {} }, schema],
    ['null as schema', { inputSchema: null }, schema],
    ['no schema', {}, schema],
    ['true as schema', { inputSchema: true }, schema],
    ["PHP's empty object", { inputSchema: [] }, schema],
    ['a union of objects', { inputSchema: { anyOf: [{ type: 'object' }] } }, { anyOf: [{ type: 'object' }], type: 'object' }],
    ['a list of types', { inputSchema: { type: ['object', 'null'], properties: {} } }, { type: 'object', properties: {} }],
    ['null as properties', { inputSchema: { type: 'object', properties: null } }, schema],
    ['null as required', { inputSchema: { type: 'object', required: null } }, schema],
    [
      'null for words of an inner schema',
      { inputSchema: { type: 'object', properties: { a: { type: 'string', enum: null, items: null, default: null }, b: null } } },
      { type: 'object', properties: { a: { type: 'string', default: null }, b: {} } },
    ],
    ['booleans as properties', { inputSchema: { type: 'object', properties: { a: true } } }, { type: 'object', properties: { a: true } }],
  ])('that has %s accepts an object, without a warning', (_what, odd, inputSchema) => {
    expect(read(odd)).toMatchObject({ inputSchema, warnings: [] });
    expect(read(odd).inputSchema).toEqual(inputSchema);
  });

  it.each<[string, object]>([
    ['null as description', { description: null }],
    ['null as title', { title: null }],
    ['null as annotations', { annotations: null }],
    ['null within annotations', { annotations: { title: null, readOnlyHint: null } }],
    ['null as output schema', { outputSchema: null }],
    ['null as icons', { icons: null }],
    ['null as `_meta`', { _meta: null }],
  ])('that has %s counts it as absent', (_what, odd) => {
    expect(read(odd)).toMatchObject({ label: 'odd', outputSchema: null, annotations: {}, meta: null, warnings: [] });
  });

  it.each<[string, object, object, string]>([
    ['a text as schema', { inputSchema: 'none' }, { inputSchema: schema }, 'Its `inputSchema` is the text "none", not a JSON Schema'],
    ['another type', { inputSchema: { type: 'string' } }, { inputSchema: schema }, 'says `"type": "string"`'],
    [
      'a text as required',
      { inputSchema: { required: 'a' } },
      { inputSchema: schema },
      '`required` in its `inputSchema` is not a list of names',
    ],
    [
      'a list as properties',
      { inputSchema: { properties: ['a'] } },
      { inputSchema: schema },
      '`properties` in its `inputSchema` is a list',
    ],
    ['a number as description', { description: 7 }, { description: '' }, 'Its `description` is 7, not a text'],
    [
      'a text as hint',
      { annotations: { readOnlyHint: 'yes', idempotentHint: true } },
      { annotations: { idempotentHint: true } },
      '`readOnlyHint` in its `annotations` is the text "yes"',
    ],
    [
      'a text as output schema',
      { outputSchema: 'none' },
      { outputSchema: null },
      'Its `outputSchema` is the text "none", not a JSON Schema',
    ],
    ['a text as `_meta`', { _meta: 'x' }, { meta: null }, 'Its `_meta` is the text "x", not an object'],
  ])('that has %s keeps its other fields, with a warning', (_what, odd, kept, warning) => {
    const tool = read(odd);
    expect(tool).toMatchObject(kept);
    expect(tool.warnings).toEqual([expect.stringContaining(warning)]);
  });

  it('that is too large or too deep loses that field', () => {
    let deep: object = {};
    for (let level = 0; level < 5_000; level += 1) deep = { items: deep };
    const tool = read({ inputSchema: deep, outputSchema: deep, _meta: deep, annotations: deep, description: 'x'.repeat(70_000) });
    expect(tool).toMatchObject({ inputSchema: schema, outputSchema: null, meta: null, annotations: {} });
    expect(tool.description).toHaveLength(65_537);
    expect(tool.warnings).toHaveLength(5);
    expect(read({ inputSchema: { type: 'object', description: 'x'.repeat(300_000) } }).warnings).toEqual([
      expect.stringContaining('256 KiB'),
    ]);
  });

  it('keeps its title, `_meta` and output schema', () => {
    expect(read({ title: 'A title', _meta: { a: { b: 1 } }, outputSchema: { properties: {} } })).toMatchObject({
      label: 'A title',
      meta: { a: { b: 1 } },
      outputSchema: { type: 'object', properties: {} },
    });
    expect(read({ outputSchema: { type: 'array' } }).outputSchema).toEqual({ type: 'array' });
    expect(read({ annotations: { title: 'Of the annotations' } }).label).toBe('Of the annotations');
  });

  it('that is not a tool is left out, with a warning', () => {
    const { tools, warnings } = readTools([null, named('good'), {}, { name: 7 }, 'tool', { name: '' }]);
    expect(tools.map(({ name }) => name)).toEqual(['good']);
    expect(warnings.map((text) => text.split(' ').slice(0, 2).join(' '))).toEqual(['Tool 1', 'Tool 3', 'Tool 4', 'Tool 5', 'Tool 6']);
    expect(readTools(null)).toEqual({ tools: [], warnings: [] });
    expect(readTools('none').warnings).toEqual(['Its list of tools is the text "none"; it was left out.']);
  });
});

describe('a list of tools in pages', () => {
  const pages = (count: number, next: (page: number) => unknown) => async (cursor: string | undefined) => {
    const page = Number(cursor ?? 1);
    return { tools: [named(`tool_${page}`)], nextCursor: page < count ? String(page + 1) : next(page) };
  };

  it.each([null, undefined, ''])('ends at the cursor %j', async (end) => {
    const { tools, warnings } = await readPages(
      pages(200, () => end),
      explain,
    );
    expect(tools).toHaveLength(200);
    expect(warnings).toEqual([]);
  });

  it('keeps the first pages when a later one fails', async () => {
    const three = pages(3, () => null);
    const ask = (cursor: string | undefined) => (cursor === '3' ? Promise.reject(new Error('It is gone.')) : three(cursor));
    const { tools, warnings } = await readPages(ask, explain);
    expect(tools.map(({ name }) => name)).toEqual(['tool_1', 'tool_2']);
    expect(warnings).toEqual(['Page 3 of its list of tools could not be read, so the rest is missing. It is gone.']);
  });

  it('fails without a first page', async () => {
    await expect(readPages(() => Promise.reject(new Error('It is gone.')), explain)).rejects.toThrow('It is gone.');
  });

  it('ends when pages repeat or never end', async () => {
    const round = await readPages(
      pages(2, () => '2'),
      explain,
    );
    expect(round.warnings).toEqual([expect.stringContaining('points back')]);
    const endless = await readPages(
      pages(Number.POSITIVE_INFINITY, () => null),
      explain,
    );
    expect(endless.warnings).toEqual([expect.stringContaining('continues after 1000 tools in 1000 pages')]);
    const odd = await readPages(
      pages(1, () => 7),
      explain,
    );
    expect(odd.tools).toHaveLength(1);
    expect(odd.warnings).toEqual([expect.stringContaining('`nextCursor` of page 1 of its list of tools is 7')]);
  });
});

describe('parameters that are repeated in headers', () => {
  const list = (inputSchema: object) => withoutInvalidHeaders(readTools([{ name: 'one', inputSchema }]));
  const header = (name: unknown, type = 'string') => ({ type, 'x-mcp-header': name });

  it('are single values below properties, with distinct names', () => {
    const properties = { a: header('A'), b: { type: 'object', properties: { c: header('C', 'integer') } } };
    expect(list({ properties })).toMatchObject({ tools: [{ name: 'one' }], warnings: [] });
  });

  it.each<[string, object]>([
    ['in a list', { properties: { a: { type: 'array', items: header('A') } } }],
    ['of a number', { properties: { a: header('A', 'number') } }],
    ['with an invalid name', { properties: { a: header('A b') } }],
    ['twice', { properties: { a: header('A'), b: header('a') } }],
  ])('exclude the tool %s', (_what, schema) => {
    expect(list(schema)).toEqual({ tools: [], warnings: [expect.stringContaining('The tool “one” says `x-mcp-header`')] });
  });
});
