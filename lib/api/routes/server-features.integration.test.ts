import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startHost } from '#lib/testing/living-host.ts';
import type { LivingHost } from '#lib/testing/living-host.ts';
import { serveHost } from '#lib/testing/serve-host.ts';
import type { ServedHost } from '#lib/testing/serve-host.ts';

const EVERYTHING = path.resolve(import.meta.dirname, '../../../node_modules/@modelcontextprotocol/server-everything/dist/index.js');
let living: LivingHost;
let served: ServedHost;
beforeAll(async () => {
  const tool = 'export async function run() { return 1; }';
  living = await startHost({ 'tools/plain.ts': tool, 'every/mcp.json': JSON.stringify({ command: 'node', args: [EVERYTHING] }) });
  served = await serveHost(living.host);
});
afterAll(async () => {
  await served.close();
  await living.remove();
});

const post = (what: string, body: object, id = 'every'): Promise<Response> =>
  fetch(`${served.url}/api/v1/extensions/${id}/mcp/${what}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

it('lists what a server offers', async () => {
  const answer = await fetch(`${served.url}/api/v1/extensions/every/mcp`);
  expect(await answer.json()).toMatchObject({
    resources: expect.arrayContaining([expect.objectContaining({ name: 'features.md', mimeType: 'text/markdown' })]),
    resource_templates: expect.arrayContaining([expect.objectContaining({ uriTemplate: 'demo://resource/dynamic/text/{resourceId}' })]),
    prompts: expect.arrayContaining([expect.objectContaining({ name: 'every__simple-prompt' })]),
    completions: true,
    subscriptions: true,
  });
  expect((await fetch(`${served.url}/api/v1/extensions/absent/mcp`)).status).toBe(404);
});

it('reads resources by address and by template, gets prompts, and completes', async () => {
  const uri = 'demo://resource/dynamic/text/{resourceId}';
  const byTemplate = await post('resources/read', { uri, variables: { resourceId: '5' } });
  expect(await byTemplate.json()).toMatchObject({ contents: [{ uri: 'demo://resource/dynamic/text/5' }] });
  const prompt = await post('prompts/get', { name: 'every__args-prompt', arguments: { city: 'Oslo' } });
  expect(await prompt.json()).toMatchObject({ messages: [{ role: 'user', content: { text: "What's weather in Oslo?" } }] });
  const ref = { type: 'ref/prompt', name: 'every__completable-prompt' };
  const completed = await post('complete', { ref, argument: { name: 'department', value: 'S' } });
  expect(await completed.json()).toMatchObject({ completion: { values: ['Sales', 'Support'] } });
});

it('reports refusals of the server, unknown names, and invalid bodies', async () => {
  const refused = await post('resources/read', { uri: 'demo://nothing' });
  expect(refused.status).toBe(502);
  expect(await refused.json()).toMatchObject({
    code: 'server_refused',
    detail: expect.stringContaining('demo://nothing'),
    rpc_code: -32_602,
  });
  expect((await post('prompts/get', { name: 'every__none' })).status).toBe(502);
  expect((await post('resources/read', { uri: 'demo://nothing' }, 'absent')).status).toBe(404);
  expect(await (await post('resources/read', { url: 'demo://nothing' })).json()).toMatchObject({ code: 'body_fields_invalid' });
});

it('refuses requests to an extension that is not an MCP server', async () => {
  const refused = await post('resources/read', { uri: 'demo://nothing' }, 'tools%2Fplain');
  expect(refused.status).toBe(409);
  expect(await refused.json()).toMatchObject({ code: 'state_conflict', detail: 'The extension “tools/plain” is not an MCP server.' });
});

it('reports an unavailable server', async () => {
  await living.host.extensions.disable('every', { name: 'Ada' });
  const away = await post('resources/read', { uri: 'demo://nothing' });
  expect(away.status).toBe(503);
  expect(await away.json()).toMatchObject({
    code: 'server_unavailable',
    detail: 'The MCP server of “every” is not available: its extension is not serving.',
  });
});
