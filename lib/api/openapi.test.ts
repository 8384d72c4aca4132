import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it } from 'vitest';
import type { Tool } from '#lib/contract/tool.ts';
import { toolRecord } from '#lib/testing/api-records.ts';
import { openApiDocument } from './openapi.ts';
import { SCHEMAS } from './route.ts';
import { ROUTES } from './routes.ts';

const TOOL = toolRecord('plain', {
  extension: 'test',
  description: 'Does something.\nWith more to say.',
  parameters: { type: 'object', properties: {}, additionalProperties: false },
});

const RECURSIVE = {
  type: 'object',
  properties: { tree: { $ref: '#/$defs/Tree' }, $ref: { type: 'string', default: '#/$defs/Tree' }, self: { $ref: '#' } },
  required: ['tree'],
  $defs: { Tree: { type: 'object', properties: { children: { type: 'array', items: { $ref: '#/$defs/Tree' } } } } },
};

const document = (...tools: Tool[]) => openApiDocument({ version: '1.2.3', tools, routes: ROUTES });
const asText = (value: unknown) => JSON.stringify(value);

/** Targets of all references in the document. */
function resolve(root: unknown, reference: string): unknown {
  return reference
    .slice(2)
    .split('/')
    .reduce<unknown>((value, part) => {
      const name = decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
      return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
    }, root);
}

describe('the OpenAPI document', () => {
  it('is valid OpenAPI 3.1', async () => {
    // The validator treats a parameter named $ref as a reference.
    const { $ref: _, ...properties } = RECURSIVE.properties;
    const schema = { ...RECURSIVE, properties };
    const outputs = { ...TOOL, name: 'with_output', output_schema: schema };
    const old = { ...TOOL, name: 'old', parameters: { $schema: 'http://json-schema.org/draft-07/schema#', ...schema } };
    const validator = new Validator();
    expect(await validator.validate(structuredClone(document(TOOL, outputs, old)))).toEqual({ valid: true });
    expect(validator.version).toBe('3.1');
  });

  it('has every route of the API with a summary, and no other', () => {
    const paths = new Set(ROUTES.filter((route) => route.hidden !== true).map(({ path }) => path.replace(/:(\w+)/g, '{$1}')));
    expect(new Set(Object.keys(document()['paths'] as object))).toEqual(paths);
  });

  it('describes each variable segment, and has unique names of operations and schemas', () => {
    for (const { path, parameter } of ROUTES) expect([path, parameter !== undefined]).toEqual([path, path.includes(':')]);
    expect(new Set(ROUTES.map(({ id }) => id)).size).toBe(ROUTES.length);
    expect(ROUTES.filter(({ body, hidden }) => body !== undefined && hidden !== true && SCHEMAS.get(body) === undefined)).toEqual([]);
  });

  it('has no broken references', () => {
    const made = document({ ...TOOL, parameters: RECURSIVE }, { ...TOOL, name: 'out', output_schema: RECURSIVE });
    const references = [...asText(made).matchAll(/"\$ref":"([^"]+)"/g)].map(([, reference]) => reference ?? '');
    expect(references.length).toBeGreaterThan(20);
    expect(references.filter((reference) => resolve(made, reference) === undefined)).toEqual([]);
  });

  it('rewrites references inside the schema of a tool, but not in data', () => {
    const made = document({ ...TOOL, parameters: RECURSIVE });
    expect(resolve(made, '#/components/schemas/tool.plain.arguments')).toMatchObject({
      properties: {
        tree: { $ref: '#/components/schemas/tool.plain.arguments/$defs/Tree' },
        self: { $ref: '#/components/schemas/tool.plain.arguments' },
        $ref: { type: 'string', default: '#/$defs/Tree' },
      },
    });
  });

  it('documents the MCP result format for tools of MCP servers, with their schema for one part', () => {
    const output = { type: 'object', properties: { answer: { type: 'integer' } } };
    const made = document({ ...TOOL, output_schema: output }, { ...TOOL, name: 'server__ask', runtime: 'mcp', output_schema: output });
    const resultOf = (name: string) =>
      resolve(
        made,
        `#/paths/~1api~1v1~1tools~1${name}~1call/post/responses/200/content/application~1json/schema/allOf/1/properties/result/anyOf/0`,
      );
    expect(resultOf('plain')).toEqual({ $ref: '#/components/schemas/tool.plain.result' });
    expect(resultOf('server__ask')).toMatchObject({
      properties: { structuredContent: { $ref: '#/components/schemas/tool.server__ask.result' } },
      required: ['content'],
    });
  });

  it('has each available tool, also with similar names', () => {
    const made = document(TOOL, { ...TOOL, name: 'a b' }, { ...TOOL, name: 'a/b' }, { ...TOOL, name: 'gone', available: false });
    const paths = Object.keys(made['paths'] as object).filter((path) => path.startsWith('/api/v1/tools/') && !path.includes('{'));
    expect(paths).toEqual(['/api/v1/tools/plain/call', '/api/v1/tools/a%20b/call', '/api/v1/tools/a%2Fb/call']);
    expect([...asText(made).matchAll(/"operationId":"(call\.tool[^"]*)"/g)].map(([, id]) => id)).toEqual([
      'call.tool.plain',
      'call.tool.a_b',
      'call.tool.a_b.2',
    ]);
    expect(asText(made)).toContain('"summary":"Does something."');
  });

  it('requires the admin token for the same routes as the server', () => {
    const made = document();
    const reload = resolve(made, '#/paths/~1api~1v1~1extensions~1reload/post');
    expect(reload).toMatchObject({
      security: [{ admin: [] }, { token: [] }, {}],
      responses: { '403': expect.anything(), '429': expect.anything() },
    });
    expect(resolve(made, '#/paths/~1api~1v1~1calls/get')).not.toHaveProperty('security');
  });
});
