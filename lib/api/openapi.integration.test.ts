import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LivingHost, startHost } from '#lib/testing/living-host.ts';
import { type OpenApiClient, readOpenApi } from '#lib/testing/openapi-client.ts';
import { type ServedHost, serveHost } from '#lib/testing/serve-host.ts';

const EXTENSION = `export const TOOLS = [
  {
    label: 'Test', name: 'count_leaves', description: 'Counts the leaves of a tree.',
    parameters: {
      type: 'object', required: ['tree'], properties: { tree: { $ref: '#/$defs/Tree' } },
      $defs: { Tree: { type: 'object', properties: { children: { type: 'array', items: { $ref: '#/$defs/Tree' } } }, additionalProperties: false } },
    },
    output_schema: { type: 'object', properties: { leaves: { type: 'integer' } }, required: ['leaves'] },
    execute: ({ tree }) => ({ leaves: (function count(node) { return node.children?.length ? node.children.map(count).reduce((a, b) => a + b) : 1; })(tree) }),
  },
  { label: 'Test', name: 'throw_error', description: 'Throws. '.repeat(150), parameters: {}, output_schema: { type: 'string' }, execute: () => { throw new Error('no'); } },
];
`;

let living: LivingHost;
let served: ServedHost;
let client: OpenApiClient;
beforeAll(async () => {
  living = await startHost({ 'trees/extension.js': EXTENSION, 'broken/extension.js': 'export const TOOL = {' });
  served = await serveHost(living.host);
  client = await readOpenApi(served.url);
});
afterAll(async () => {
  await served.close();
  await living.remove();
});

describe('a client generated from the OpenAPI document', () => {
  it('calls a tool by its own operation and gets the documented response', async () => {
    const tree = { children: [{}, { children: [{}, {}] }] };
    const call = await client.ask('call.tool.count_leaves', { body: { arguments: { tree } } });
    expect(call).toMatchObject({ status: 'succeeded', result: { leaves: 3 }, source: 'api' });
    expect(await client.ask('call.tool.throw_error', { body: {} })).toMatchObject({ status: 'failed', result: null });
    const running = await client.ask('callTool', {
      path: 'count_leaves',
      body: { arguments: { tree } },
      headers: { prefer: 'respond-async' },
    });
    // The call may have ended already.
    const status = expect.stringMatching(/^(?:running|succeeded)$/);
    expect(running).toMatchObject({ status });
    const again = await client.ask('replayCall', {
      path: String(running.id),
      body: { arguments: { tree: {} }, timeout_ms: 5_000 },
      headers: { prefer: 'respond-async' },
    });
    expect(again).toMatchObject({ status, replay_of: running.id, arguments: { tree: {} } });
  });

  it('cannot send invalid requests', async () => {
    await expect(client.ask('call.tool.count_leaves', { body: { arguments: { tree: { child: 1 } } } })).rejects.toThrow('additional');
    await expect(client.ask('call.tool.count_leaves', { body: { argumens: {} } })).rejects.toThrow('additional');
    await expect(client.ask('rollbackExtension', { path: 'trees', body: { revision: 0 } })).rejects.toThrow('> 0');
  });

  it('reads every list and every record', async () => {
    const { calls } = await client.ask('listCalls', { query: { limit: '5', status: 'succeeded' } });
    expect(calls).not.toEqual([]);
    expect(await client.ask('getCall', { path: calls[0]!.id })).toMatchObject({ id: calls[0]!.id });
    expect((await client.ask('listTools')).tools).toHaveLength(2);
    expect(await client.ask('getTool', { path: 'throw_error' })).toMatchObject({ label: 'Test' });
    expect((await client.ask('listExtensions')).extensions).toHaveLength(2);
    expect(await client.ask('getExtension', { path: 'broken' })).toMatchObject({ state: 'failed', failure: { code: 'syntax_error' } });
    const { snapshots } = await client.ask('listSnapshots');
    expect(await client.ask('getSnapshot', { path: String(snapshots[0]!.version) })).toMatchObject({ version: snapshots[0]!.version });
    const { groups } = await client.ask('listFailures');
    expect(await client.ask('getFailure', { path: groups[0]!.id })).toMatchObject({ extension: 'broken' });
    for (const id of ['listOccurrences', 'getFailureSource', 'getFailureChanges']) await client.ask(id, { path: groups[0]!.id });
    const { channels } = await client.ask('listChannels');
    expect(await client.ask('getChannel', { path: channels[0]!.name })).toMatchObject({ name: channels[0]!.name });
    await client.ask('listMessages', { path: channels[0]!.name });
    for (const id of ['getHealth', 'getReadiness']) expect(await client.ask(id)).toMatchObject({ ready: true });
  });

  it('writes, and gets the documented response', async () => {
    const { calls } = await client.ask('listCalls', { query: { tool: 'throw_error' } });
    expect(await client.ask('replayCall', { path: calls[0]!.id, body: {} })).toMatchObject({ replay_of: calls[0]!.id });
    expect(await client.ask('cancelCall', { path: calls[0]!.id })).toMatchObject({ status: 'failed' });
    expect(await client.ask('reloadExtensions', { body: { extensions: ['broken'] } })).toMatchObject({
      failed_extensions: [{ extension: 'broken' }],
    });
    expect(await client.ask('restartExtension', { path: 'trees' })).toMatchObject({ state: 'ready' });
    expect(await client.ask('pinExtension', { path: 'trees', body: { revision: 1 } })).toMatchObject({ pinned_revision: 1 });
    expect(await client.ask('keepExtensionAlive', { path: 'trees', body: { keep: true } })).toMatchObject({ keep_alive: true });
    expect(await client.ask('unpinExtension', { path: 'trees' })).toMatchObject({ pinned_revision: null });
    const { groups } = await client.ask('listFailures');
    expect(await client.ask('changeFailure', { path: groups[0]!.id, body: { status: 'acknowledged' } })).toMatchObject({
      status: 'acknowledged',
    });
    expect(await client.ask('commentFailure', { path: groups[0]!.id, body: { text: 'Seen.' } })).toMatchObject({ id: groups[0]!.id });
  });

  it('gets files, numbers and events in the documented formats', async () => {
    for (const format of ['ndjson', 'csv'])
      expect(await client.ask('exportCalls', { query: { format } })).toMatchObject({
        status: 200,
        text: expect.stringContaining('count_leaves'),
      });
    expect(await client.ask('getMetrics')).toMatchObject({ text: expect.stringContaining('switchboard_calls_total') });
    expect(await client.ask('streamEvents')).toMatchObject({ status: 200 });
    expect(await client.ask('getOpenApi')).toMatchObject({ openapi: '3.1.1' });
  });

  it('gets the documented headers of a repeated request, and all documented refusals of a tool', async () => {
    const headers = { 'idempotency-key': 'of-the-document' };
    const body = { arguments: { tree: {} } };
    const first = await client.ask('call.tool.count_leaves', { body, headers });
    expect(await client.ask('call.tool.count_leaves', { body, headers })).toEqual(first);
    for (const [given, status] of [
      [{ headers: { ...headers, 'x-actor': '%' } }, 400],
      [{ headers: { 'idempotency-key': 'two words' } }, 400],
      [{ headers: { origin: 'http://elsewhere.example' } }, 403],
      [{ headers: { 'content-type': 'text/plain' } }, 415],
      [{ headers, body: { arguments: { tree: { children: [] } } } }, 422],
      [{ body: { ...body, revision: 99 } }, 404],
    ] as const)
      expect(await client.ask('call.tool.count_leaves', { body, ...given })).toMatchObject({ status });
    const large = { tree: { children: Array.from({ length: 400_000 }, () => ({})) } };
    expect(await client.ask('call.tool.count_leaves', { body: { arguments: large } })).toMatchObject({ status: 413 });
  });

  it('gets rejections as documented', async () => {
    expect(await client.ask('getTool', { path: 'nothing' })).toMatchObject({ code: 'tool_not_found', status: 404 });
    expect(await client.ask('getCall', { path: 'nothing' })).toMatchObject({ code: 'call_not_found' });
    expect(await client.ask('listCalls', { query: { limit: '0' } })).toMatchObject({ code: 'query_invalid', status: 422 });
    expect(await client.ask('rollbackExtension', { path: 'trees', body: { revision: 99 } })).toMatchObject({ code: 'revision_not_found' });
    expect(await client.ask('getSnapshot', { path: 'newest' })).toMatchObject({ code: 'snapshot_not_found' });
  });

  it('gets responses about missing accounts as documented', async () => {
    for (const id of ['listMembers', 'listTokens', 'listAudit', 'exportAudit'])
      expect(await client.ask(id)).toMatchObject({ status: 404, code: 'not_found' });
  });

  it('gets a new tool right after its save', async () => {
    await living.save({ 'trees/extension.js': EXTENSION.replaceAll('throw_error', 'raise_error') });
    await living.reload();
    const { operations } = await readOpenApi(served.url);
    expect(operations).toContain('call.tool.raise_error');
    expect(operations).not.toContain('call.tool.throw_error');
  });
});

it.each(['/api/v1/tools', '/api/v1/extensions'])('%s is compressed where that is accepted, and validated by its ETag', async (path) => {
  const ask = (headers: Readonly<Record<string, string>>): Promise<Response> => fetch(served.url + path, { headers });
  const plain = await ask({ 'accept-encoding': 'gzip;q=0' });
  const compressed = await ask({ 'accept-encoding': 'br;q=0.5, gzip' });
  expect([plain, compressed].map(({ headers }) => headers.get('content-encoding'))).toEqual([null, 'gzip']);
  expect(await compressed.json()).toEqual(await plain.json());
  const tag = plain.headers.get('etag') ?? '';
  expect((await ask({ 'if-none-match': tag })).status).toBe(304);
  expect((await ask({ 'if-none-match': '"other"' })).status).toBe(200);
});
