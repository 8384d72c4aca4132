import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { channelListSchema, channelSchema, messagePageSchema, messageSchema } from '#lib/contract/channel.ts';
import { API } from '#lib/contract/paths.ts';
import { type LivingHost, oneTool, startHost } from '#lib/testing/living-host.ts';
import { type ServedHost, serveHost } from '#lib/testing/serve-host.ts';

let living: LivingHost;
let served: ServedHost;

beforeAll(async () => {
  living = await startHost(
    { 'echo/extension.ts': oneTool('echo', 'hi'), 'channels/dead.ts': 'export function connect() {}' },
    { adminToken: 'the token' },
  );
  served = await serveHost(living.host);
});
afterAll(async () => {
  await served.close();
  await living.remove();
});

async function ask(
  method: string,
  path: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ status: number; json: unknown }> {
  const json = body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json', ...headers } };
  const answer = await fetch(`${served.url}${path}`, { method, headers, ...json });
  return { status: answer.status, json: await answer.json() };
}

describe('the API of channels', () => {
  it('lists every channel in the documented shape, those that failed as well', async () => {
    const { status, json } = await ask('GET', API.channels);
    expect(status).toBe(200);
    const { channels } = channelListSchema.parse(json);
    expect(channels).toMatchObject([
      { name: 'dead', extension: 'channels/dead', state: 'failed' },
      { name: 'web', extension: 'core', state: 'connected' },
    ]);
    expect(channelSchema.parse((await ask('GET', API.channel('web'))).json)).toEqual(channels[1]);
  });

  it('sends messages with the name of the person, receives messages, and pages through both', async () => {
    const sent = await ask('POST', API.sendMessage('web'), { text: 'Hello', recipient: 'Bob' }, { 'x-actor': 'Ada' });
    expect(sent).toMatchObject({ status: 200, json: { sender: 'Ada', recipient: 'Bob', state: 'sent', direction: 'out' } });
    const put = messageSchema.parse((await ask('POST', API.injectMessage('web'), { text: '/echo text=x' }, { 'x-actor': 'Ada' })).json);
    await vi.waitUntil(
      async () =>
        messagePageSchema.parse((await ask('GET', API.channelMessages('web'))).json).messages.some((each) => each.reply_to === put.id),
      { timeout: 5_000 },
    );
    const first = messagePageSchema.parse((await ask('GET', `${API.channelMessages('web')}?limit=2`)).json);
    const rest = messagePageSchema.parse((await ask('GET', `${API.channelMessages('web')}?limit=2&cursor=${first.next_cursor}`)).json);
    expect([...first.messages, ...rest.messages].map(({ text }) => text).slice(1)).toEqual(['/echo text=x', 'Hello']);
  });

  it('lets only an administrator choose the tools that messages may call', async () => {
    const settings = { commands: { enabled: false, tools: ['echo'] } };
    expect((await ask('PATCH', API.channel('web'), settings)).status).toBe(403);
    expect(await ask('PATCH', API.channel('web'), settings, { 'x-admin-token': 'the token' })).toMatchObject({
      status: 200,
      json: { commands: { enabled: false, tools: ['echo'] } },
    });
    expect(await ask('PATCH', API.channel('web'), { commands: { enabled: true } }, { 'x-admin-token': 'the token' })).toMatchObject({
      json: { commands: { enabled: true, tools: ['echo'] } },
    });
  });

  it.each([
    ['GET', API.channel('nowhere'), undefined, 404, 'channel_not_found'],
    ['GET', API.channelMessages('nowhere'), undefined, 404, 'channel_not_found'],
    ['POST', API.sendMessage('nowhere'), { text: 'x' }, 404, 'channel_not_found'],
    ['POST', API.retryChannel('nowhere'), undefined, 404, 'channel_not_found'],
    ['POST', API.resendMessage('nothing'), undefined, 404, 'message_not_found'],
    ['POST', API.sendMessage('web'), {}, 422, 'body_fields_invalid'],
    ['POST', API.sendMessage('web'), { text: '' }, 422, 'body_fields_invalid'],
    ['POST', API.sendMessage('web'), { text: 'x', to: 'Ada' }, 422, 'body_fields_invalid'],
    ['POST', API.sendMessage('web'), { text: 'x'.repeat(65_537) }, 422, 'body_fields_invalid'],
    ['POST', API.injectMessage('web'), { text: 'x', metadata: [] }, 422, 'body_fields_invalid'],
    ['GET', `${API.channelMessages('web')}?limit=201`, undefined, 422, 'query_invalid'],
    ['GET', `${API.channelMessages('web')}?cursor=foreign`, undefined, 422, 'query_invalid'],
  ])('%s %s is refused with a code', async (method, path, body, status, code) => {
    expect(await ask(method, path, body)).toMatchObject({ status, json: { code, detail: expect.stringMatching(/\w/) } });
  });

  it('emits events for messages and channels, with ids only', async () => {
    const before = living.host.events.lastId();
    const sent = messageSchema.parse((await ask('POST', API.sendMessage('web'), { text: 'told' })).json);
    await vi.waitFor(() => {
      const ofMessages = living.host.events.since(before)?.filter(({ type }) => type.startsWith('message.'));
      expect(ofMessages?.at(-1)).toMatchObject({ type: 'message.sent', data: { channel: 'web', message_id: sent.id } });
    });
  });
});
