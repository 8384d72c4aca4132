import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { PutToolset } from '#lib/contract/toolset.ts';
import { must, refusal } from '#lib/testing/living-host.ts';
import { type ServedEndpoint, serveEndpoint } from './mcp-harness.ts';

const ADA = { name: 'Ada' };
const WEATHER = `export const TOOL = {
  label: 'Weather', name: 'get_weather', description: 'The weather of a city, from the archive.',
  parameters: {
    city: { type: 'string', required: true }, days: { type: 'integer', default: 1 }, unit: { type: 'string', default: 'C' },
  },
  execute: (args) => args,
};
`;
const OTHER = `export const TOOLS = [
  { label: 'Mail', name: 'send_mail', description: 'Send a letter to somebody.', parameters: { to: { type: 'string', required: true } }, execute: (args) => ({ sent: args.to }) },
  { label: 'Mail', name: 'open_box', description: 'Open a box.', execute: (args) => args, parameters: {
    type: 'object', required: ['box', 'size'],
    properties: { box: { enum: ['inbox', 'sent'] }, size: { type: ['integer', 'null'], default: 5 } },
  } },
  { label: 'Mail', name: 'count_mail', description: 'Count unread letters.', parameters: {}, execute: () => 3 },
];
`;
const SUPPORT: PutToolset = {
  title: 'Support',
  instructions: 'Only the weather of Oslo.',
  tools: [
    { tool: 'count_mail' },
    {
      tool: 'get_weather',
      name: 'oslo_weather',
      title: 'Oslo',
      description: 'The weather of Oslo.',
      hidden_arguments: ['unit'],
      fixed_arguments: { city: 'Oslo' },
    },
  ],
};

let served: ServedEndpoint;
beforeAll(async () => {
  served = await serveEndpoint({ 'weather/extension.ts': WEATHER, 'mail/extension.ts': OTHER });
  must(await served.living.host.toolsets.put('support', SUPPORT, ADA));
});
afterAll(() => served.close());

async function connect(path: string): Promise<Client> {
  const client = new Client({ name: 'agent', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${served.url}${path}`)));
  return client;
}

describe('a toolset', () => {
  it('lists its tools in its order, with its names, texts and arguments', async () => {
    const client = await connect('/support');
    const { tools } = await client.listTools();
    expect(tools).toMatchObject([
      { name: 'count_mail', title: 'Mail' },
      {
        name: 'oslo_weather',
        title: 'Oslo',
        description: 'The weather of Oslo.',
        inputSchema: { properties: { days: { type: 'integer' } } },
      },
    ]);
    expect(Object.keys(tools[1]?.inputSchema.properties ?? {})).toEqual(['days']);
    expect(client.getInstructions()).toBe('Only the weather of Oslo.');
    expect(client.getServerCapabilities()).not.toHaveProperty('resources');
    await client.close();
  });

  it('calls the real tool with the fixed arguments, and the record names it', async () => {
    const client = await connect('/support');
    const result = await client.callTool({ name: 'oslo_weather', arguments: { days: 2 } });
    expect(result.structuredContent).toEqual({ city: 'Oslo', days: 2, unit: 'C' });
    await client.close();
    const { calls } = must(await served.living.host.calls.list({ limit: 1 }));
    expect(calls).toMatchObject([{ tool: 'get_weather', source: 'mcp', arguments: { city: 'Oslo', days: 2 } }]);
  });

  it('refuses arguments that it hides or fixes, and tools that are not in it', async () => {
    const client = await connect('/support');
    for (const args of [{ city: 'Rome' }, { unit: 'F' }])
      expect(await client.callTool({ name: 'oslo_weather', arguments: args })).toMatchObject({
        isError: true,
        content: [{ text: expect.stringContaining('Leave it out') }],
      });
    for (const name of ['get_weather', 'send_mail']) await expect(client.callTool({ name, arguments: {} })).rejects.toThrow('Unknown tool');
    await client.close();
    const answer = await fetch(`${served.url}/support`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'resources/list' }),
    });
    expect(await answer.json()).toMatchObject({ error: { message: expect.stringContaining('not part of a toolset') } });
  });

  it('returns 404 for an unknown name, and 422 for an unknown mode', async () => {
    const ask = (path: string) =>
      fetch(`${served.url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
        body: '{}',
      });
    const unknown = await ask('/nothing');
    expect([unknown.status, await unknown.json()]).toMatchObject([404, { code: 'toolset_not_found' }]);
    expect((await ask('?mode=other')).status).toBe(422);
  });

  it('notifies clients of changes', async () => {
    const { host } = served.living;
    must(await host.toolsets.put('changing', { title: '', instructions: '', tools: [{ tool: 'count_mail' }] }, ADA));
    const client = await connect('/changing');
    let notified = 0;
    client.setNotificationHandler('notifications/tools/list_changed', () => void (notified += 1));
    expect((await client.listTools()).tools).toHaveLength(1);
    // Its stream may open after its first answer.
    await vi.waitFor(
      async () => {
        const tools = [{ tool: 'count_mail' }, { tool: 'send_mail' }];
        must(await host.toolsets.put('changing', { title: '', instructions: '', tools }, ADA));
        expect(notified).toBeGreaterThan(0);
      },
      { timeout: 30_000, interval: 200 },
    );
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['count_mail', 'send_mail']);
    must(await host.toolsets.remove('changing', ADA));
    await client.close();
  });

  it('hides a required argument that has a default, and fixes integers beyond 2^53', async () => {
    const { toolsets } = served.living.host;
    const open = { tool: 'open_box', hidden_arguments: ['size'], fixed_arguments: { box: 'sent' } };
    must(await toolsets.put('found', { title: '', instructions: '', tools: [open] }, ADA));
    const client = await connect('/found');
    const { content } = await client.callTool({ name: 'open_box', arguments: {} });
    expect(content).toMatchObject([{ text: JSON.stringify({ box: 'sent', size: 5 }) }]);
    const large = { tool: 'open_box', fixed_arguments: { size: 2n ** 60n } };
    must(await toolsets.put('found', { title: '', instructions: '', tools: [large] }, ADA));
    await client.close();
  });

  it('keeps a removed tool, and shows it as missing', async () => {
    const { living } = served;
    must(
      await living.host.toolsets.put(
        'later',
        { title: '', instructions: '', tools: [{ tool: 'send_mail' }, { tool: 'get_weather' }] },
        ADA,
      ),
    );
    await living.save({ 'weather/extension.ts': WEATHER.replaceAll('get_weather', 'ask_weather') });
    await living.reload(['weather']);
    expect(must(living.host.toolsets.get('later'))).toMatchObject({ missing: ['get_weather'], preview: [{ name: 'send_mail' }] });
    await living.save({ 'weather/extension.ts': WEATHER });
    await living.reload(['weather']);
    expect(must(living.host.toolsets.get('later'))).toMatchObject({
      missing: [],
      preview: [{ name: 'send_mail' }, { name: 'get_weather' }],
    });
  });

  it.each([
    [[{ tool: 'nothing' }], '/tools/0/tool: There is no tool “nothing”'],
    [[{ tool: 'send_mail' }, { tool: 'count_mail', name: 'send_mail' }], '/tools/1/name: The name “send_mail” is used twice'],
    [[{ tool: 'get_weather', hidden_arguments: ['town'] }], 'no argument “town”. It has: city, days, unit'],
    [[{ tool: 'get_weather', hidden_arguments: ['city'] }], 'needs the argument “city”'],
    [[{ tool: 'get_weather', fixed_arguments: { town: 1 } }], 'no argument “town”'],
    [[{ tool: 'get_weather', fixed_arguments: { days: 'notint' } }], 'get_weather does not accept this value of “days”: it takes integer.'],
    [[{ tool: 'open_box', fixed_arguments: { box: 'spam' } }], 'of “box”: it takes "inbox" or "sent".'],
  ])('is refused with the location of the error: %j', async (tools, words) => {
    expect(refusal(await served.living.host.toolsets.put('bad', { title: '', instructions: '', tools }, ADA))).toMatchObject({
      code: 'body_fields_invalid',
      detail: expect.stringContaining(words),
    });
  });
});

describe('search mode', () => {
  it('finds, describes and calls any tool through three tools', async () => {
    const client = await connect('?mode=search');
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['search_tools', 'describe_tool', 'call_tool']);
    expect(client.getInstructions()).toContain('search_tools');
    const found = await client.callTool({ name: 'search_tools', arguments: { query: 'letters unread' } });
    expect(found.structuredContent).toMatchObject({ tools: [{ name: 'count_mail' }, { name: 'send_mail' }], total: 4 });
    const described = await client.callTool({ name: 'describe_tool', arguments: { name: 'send_mail' } });
    expect(described.structuredContent).toMatchObject({ name: 'send_mail', inputSchema: { required: ['to'] } });
    const called = await client.callTool({ name: 'call_tool', arguments: { name: 'send_mail', arguments: { to: 'Eve' } } });
    expect(called.structuredContent).toEqual({ sent: 'Eve' });
    const { calls } = must(await served.living.host.calls.list({ limit: 1 }));
    expect(calls).toMatchObject([{ tool: 'send_mail', arguments: { to: 'Eve' } }]);
    await client.close();
  });

  it('answers wrong requests with the correct form', async () => {
    const client = await connect('?mode=search');
    const said = async (name: string, args: Record<string, unknown>) => JSON.stringify(await client.callTool({ name, arguments: args }));
    expect(await said('search_tools', { limit: 1 })).toContain('takes `query`');
    expect(await said('describe_tool', { name: 'nothing' })).toContain('Find one with search_tools');
    expect(await said('call_tool', { name: 'nothing' })).toContain('Find one with search_tools');
    expect(await said('call_tool', { tool: 'send_mail' })).toContain('call_tool takes `name`');
    expect(await said('call_tool', { name: 'send_mail', arguments: {} })).toContain('to');
    await expect(client.callTool({ name: 'send_mail', arguments: {} })).rejects.toThrow('search mode');
    await client.close();
  });

  it('of a toolset finds only its tools', async () => {
    const client = await connect('/support?mode=search');
    const found = await client.callTool({ name: 'search_tools', arguments: { query: '' } });
    expect(found.structuredContent).toMatchObject({ tools: [{ name: 'count_mail' }, { name: 'oslo_weather' }], total: 2 });
    const called = await client.callTool({ name: 'call_tool', arguments: { name: 'oslo_weather' } });
    expect(called.structuredContent).toMatchObject({ city: 'Oslo', days: 1 });
    await client.close();
  });
});
