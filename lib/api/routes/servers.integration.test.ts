import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startHost } from '#lib/testing/living-host.ts';
import type { LivingHost } from '#lib/testing/living-host.ts';
import { serveHost } from '#lib/testing/serve-host.ts';
import type { ServedHost } from '#lib/testing/serve-host.ts';

const SERVER = path.resolve(import.meta.dirname, '../../runtime/fixtures/mcp-server.mjs');
const LOCAL = { command: 'node', args: [SERVER] };
const KEY = 'sk-live-0123456789abcdef0123';

let living: LivingHost;
let served: ServedHost;
beforeAll(async () => {
  living = await startHost({
    'sums/extension.ts': `export const TOOL = {
      label: 'Sum', name: 'add', description: 'Adds two numbers.',
      parameters: { left: { type: 'number', required: true }, right: { type: 'number', default: 1 } },
      execute: ({ left, right }) => left + right,
    };`,
  });
  served = await serveHost(living.host);
});
afterAll(async () => {
  await served.close();
  await living.remove();
});

async function ask(
  method: string,
  address: string,
  body?: unknown,
  more: Readonly<Record<string, string>> = {},
): Promise<{ readonly status: number; readonly body: unknown }> {
  const answer = await fetch(`${served.url}/api/v1${address}`, {
    method,
    headers: body === undefined ? more : { 'content-type': 'application/json', ...more },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: await answer.json() };
}

describe('servers over the API', () => {
  it('are tested, added, imported and removed', async () => {
    expect(await ask('POST', '/servers/test', { config: LOCAL })).toMatchObject({
      status: 200,
      body: { ok: true, tools: expect.arrayContaining([expect.objectContaining({ name: expect.any(String) })]), failure: null },
    });
    expect(await ask('GET', '/servers')).toEqual({ status: 200, body: { servers: [] } });
    expect(await ask('PUT', '/servers/local', { config: LOCAL })).toMatchObject({
      status: 200,
      body: { name: 'local', file: 'mcp.json', config: LOCAL, extension: { id: 'local', state: 'ready' } },
    });

    const text = JSON.stringify({ mcpServers: { local: { ...LOCAL, prefix: 'other_', env: { API_KEY: KEY } } } });
    const preview = await ask('POST', '/servers/import', { client: 'cursor', text, preview: true });
    const imported = {
      name: 'local-2',
      config: { ...LOCAL, prefix: 'other_', env: { API_KEY: '${secret:API_KEY}' } },
      secrets: ['API_KEY'],
      conflict: true,
    };
    expect(preview).toMatchObject({ status: 200, body: { servers: [imported] } });
    expect(await ask('GET', '/servers')).toMatchObject({ body: { servers: [{ name: 'local' }] } });
    const done = await ask('POST', '/servers/import', { client: 'cursor', text, preview: false });
    expect(done).toMatchObject({ status: 200, body: { servers: [imported] } });
    const listed = await ask('GET', '/servers');
    expect(listed).toMatchObject({ body: { servers: [{ name: 'local' }, { name: 'local-2', extension: { state: 'ready' } }] } });
    expect(await ask('GET', '/secrets')).toMatchObject({ body: { secrets: [{ name: 'API_KEY', uses: ['local-2'] }] } });
    expect(JSON.stringify([preview, done, listed])).not.toContain(KEY);

    for (const name of ['local', 'local-2']) expect(await ask('DELETE', `/servers/${name}`)).toMatchObject({ status: 200, body: { name } });
    expect(await ask('DELETE', '/servers/local')).toMatchObject({ status: 404, body: { code: 'server_not_found' } });
    expect(living.extension('local')).toBeUndefined();
  });

  it.each([
    ['POST', '/servers/import', { client: 'emacs', text: '{}' }, 'import_invalid'],
    ['POST', '/servers/import', { client: 'cursor' }, 'body_fields_invalid'],
    ['POST', '/servers/test', {}, 'body_fields_invalid'],
    ['PUT', '/servers/a b', { config: LOCAL }, 'resource_name_invalid'],
  ])('refuse %s %s with %j', async (method, address, body, code) => {
    expect(await ask(method, encodeURI(address), body)).toMatchObject({ status: 422, body: { code } });
  });
});

describe('toolsets over the API', () => {
  it('are stored, listed with their size, previewed and deleted', async () => {
    const tools = [{ tool: 'add', name: 'plus_two', description: 'Adds two.', fixed_arguments: { right: 2 } }];
    expect(await ask('PUT', '/toolsets/sums', { title: 'Sums', instructions: 'Only sums.', tools })).toMatchObject({
      status: 200,
      body: { name: 'sums', title: 'Sums', instructions: 'Only sums.', tools },
    });
    expect(await ask('GET', '/toolsets')).toMatchObject({
      status: 200,
      body: { toolsets: [{ name: 'sums', missing: [], estimated_tokens: expect.any(Number) }] },
    });
    const shown = await ask('GET', '/toolsets/sums');
    expect(shown).toMatchObject({ status: 200, body: { preview: [{ name: 'plus_two', description: 'Adds two.' }] } });
    expect(JSON.stringify(Object(shown.body).preview)).not.toContain('"right"');
    expect(await ask('DELETE', '/toolsets/sums')).toMatchObject({ status: 200, body: { name: 'sums' } });
    expect(await ask('GET', '/toolsets/sums')).toMatchObject({ status: 404, body: { code: 'toolset_not_found' } });
  });
});

it.each([
  ['/servers/once', { config: { ...LOCAL, disabled: true } }],
  ['/toolsets/once', { tools: [{ tool: 'add' }] }],
  ['/secrets/ONCE', { value: 'first-value' }],
])('%s is not replaced with If-None-Match: *, also by a request at the same time', async (address, body) => {
  const add = async (): Promise<unknown> => ask('PUT', address, body, { 'if-none-match': '*' });
  const both = await Promise.all([add(), add()]);
  expect(both).toMatchObject(expect.arrayContaining([expect.objectContaining({ status: 200 })]));
  expect(both).toMatchObject(
    expect.arrayContaining([expect.objectContaining({ status: 412, body: expect.objectContaining({ code: 'already_exists' }) })]),
  );
  expect(await add()).toMatchObject({ status: 412 });
  expect(await ask('PUT', address, body)).toMatchObject({ status: 200 });
  expect(await ask('DELETE', address)).toMatchObject({ status: 200 });
});
